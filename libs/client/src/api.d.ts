// Generated from the route table by "pnpm generate". Do not edit.

export interface paths {
    "/api/v1/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange credentials for an access token
         * @description With `grant_type` `client_credentials`, send `client_id` and `client_secret` in the body or by HTTP Basic. With `grant_type` `refresh_token`, send `refresh_token`. A refresh token works once: a second use revokes every token that came from it. `scope` limits the tokens, and all tokens refreshed from them, to some scopes of the key. The body may also be JSON or `application/x-www-form-urlencoded`, with the same fields. Responds with 429 after repeated failures. Do not cache the response (`Cache-Control: no-store`).
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an organization and its first administrator
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Opens a session in `org_id`, or in the organization that the user joined first. If the user has one-time codes, a right password without a right `code` gets 401 with `error.second_factor`.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh the tokens of a session
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the signed-in user and their organizations
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the name of the signed-in user
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        patch: operations["updateCurrentUser"];
        trace?: never;
    };
    "/api/v1/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password of the user
         * @description Ends all other sessions of the user.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of the user
         * @description Returns sessions in all organizations, most recently used first.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session of the user
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch to another organization of the user
         * @description Ends this session and opens one in the other organization.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["switchOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the organization
         * @description Returns members in the order in which they joined.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member or leave the organization
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Update the role of a member
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending invitations
         * @description Returns invitations that can still be accepted, newest first.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite an e-mail address
         * @description Returns the token of the invitation, which is shown only once. The mail has another token, which also proves the mailbox.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/accept-invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Joins the organization with the token of the invitation. A new user sends a name and chooses a password, which the rules for new passwords bind. A registered one sends the password, without a name, and a code if it is needed to sign in.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the organization, its time zone and how long it keeps history
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getOrg"];
        put?: never;
        post?: never;
        /**
         * Delete the organization
         * @description Name it exactly. From then on its tokens are refused, its readers disconnected and its webhooks not called. All that it stored is erased within 24 hours, for good. Accounts of people stay.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteOrg"];
        options?: never;
        head?: never;
        /**
         * Update the name or time zone of the organization, or how long it keeps history
         * @description Days of history are whole days of UTC, for each type of asset, at most as many as the installation keeps. Older history is deleted within an hour, for good.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        patch: operations["updateOrg"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything that the organization has stored
         * @description Returns a ZIP of NDJSON files, made while it is sent. A connection that breaks off leaves a file that no program opens. An organization has one export at a time.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["exportOrg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/members/{user_id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link with which a member chooses a new password
         * @description Returns the token of the link, which is shown only once, works once and expires after an hour. Refused for a person who belongs to other organizations too.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createResetLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a new password with the token of a reset link
         * @description Ends all sessions of the user. A refused password does not spend the token.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a reset link to an e-mail address
         * @description The answer is the same for every address. The link works once and expires after an hour.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a link that confirms the e-mail address of the user
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["sendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm an e-mail address with the token of a mail
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a link to a new e-mail address of the user
         * @description The address changes when the link is used. The answer does not tell whether it is taken.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["changeEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change an e-mail address with the token of a mail
         * @description The address before gets a notice.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/describe-invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retrieve what an invitation says, with its token
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["describeInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation as the signed-in user
         * @description Joins the organization. The session stays in its own; `switchOrg` goes to the other one.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["joinOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a secret for one-time codes of the user
         * @description Codes are on when the secret is confirmed, within ten minutes. Replaces a secret that was not.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createTotp"];
        /**
         * Switch one-time codes off
         * @description Needs the password, and a one-time code or a recovery code.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch one-time codes on with a first code
         * @description Returns ten recovery codes, which are shown only once. Each works once in place of a one-time code.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether single sign-on is set up, and whether it is the only way in
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["describeSignOn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Go to the sign-on provider
         * @description **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["startSignOn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from the sign-on provider
         * @description Leads to the sign-in screen, with a code for `openSignOnSession` or a problem in the fragment. Works once, for ten minutes, and only in the browser that started. Somebody who may not come in gets 403, and a browser goes on from there.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["finishSignOn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a session with the code of a sign-on
         * @description The code works once, for 60 seconds.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["openSignOnSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the current organization
         * @description Returns the organization and the scopes of the calling API key.
         *
         *     **Access:** any API key. No scope required. Session tokens are refused.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getCurrentOrg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns the API keys of the organization, newest first. Omits revoked keys.
         *
         *     **Access:** an API key with the scope `keys:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Returns the client secret, which is shown only once. Scopes cannot be changed later. To rotate a key, create another key, switch your clients to it, and revoke the first one. A key with `reader_key` publishes for that reader only. `scans:write` must be its only scope. The reader need not exist yet. `keys:admin` is full administration of the keys: a key with it can create keys with every scope, which may live longer than itself. An organization has at most 200 keys that are neither revoked nor expired, unless the operator allows more: beyond that, the response is 409.
         *
         *     **Access:** an API key with the scope `keys:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description `key_id` is the id or the `jti` of the key. The access and refresh tokens of the key stop working within a second. Responds with 404 if the key is already revoked. `descendants=true` also revokes the keys that it created, and those that they created. Then the response is 204 also for a revoked key, as long as one of these was live.
         *
         *     **Access:** an API key with the scope `keys:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/provisioning-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that shows the settings of a reader once
         * @description Returns the token of the link, which is shown only once, works once and expires after 24 hours. The API key of the reader is created when the link is used. The reader need not exist yet. 409 beyond 100 open links.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createProvisioningLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/provision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the API key of a reader with the token of a provisioning link
         * @description Returns the settings for the device. The client secret is shown only once. The key can publish for this reader only. 409 if the organization has no room for another key, which does not use up the link.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["provisionReader"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List limits and use
         * @description Returns what the organization may store and what it stores, also in bytes (`…_bytes`). A request that would store more answers 409 and names the limit. Deleted assets, locations and tags count as `stored_bytes` only. The operator can raise a limit.
         *
         *     **Access:** any API key, or any signed-in user. No scope required.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who did what
         * @description Returns the changes of the organization, newest first, and sign-ins, also failed ones. Rows appear within seconds and are kept for 400 days. With `after`, rows come in the order in which they were recorded, oldest first: send `cursor` as `after` for what follows, and no row is left out or repeated. The secrets of a change are never shown: such a field has null for both values.
         *
         *     **Access:** an API key with the scope `audit:read`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase the history of an asset for good
         * @description Erases history and movements between two instants, or all of them, also of a deleted asset. If its last known location is among them, the newest row that is left counts. It cannot be undone, and can be repeated.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["eraseAssetHistory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/placement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve how the organization wants positions to be decided
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getPlacement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update how the organization wants positions to be decided
         * @description Counts for reads that arrive from then on, and for reads that wait.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        patch: operations["updatePlacement"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/placement/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what other settings would have done with the reads of the last hours
         * @description Counts the movements of the messages of readers that are still kept, with the settings of now and with the others. Stores nothing. Two previews may run at once; one that takes longer than 30 seconds ends with 503.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["previewPlacement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create and change many assets
         * @description Creates and changes up to 500 assets by `external_key`. An update leaves what an item omits; `tags`, if sent, are all tags afterwards. The response has one result per item, in order, and status 200 also if items failed. A repeat of the request changes nothing more: its items are `unchanged`.
         *
         *     **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["saveAssetBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create and change many locations
         * @description Creates and changes up to 500 locations by `external_key`. An update leaves what an item omits; `tags`, if sent, are all tags afterwards. An item may name an earlier one as its parent. The response has one result per item, in order, and status 200 also if items failed. A repeat of the request changes nothing more: its items are `unchanged`.
         *
         *     **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["saveLocationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assets
         * @description Returns assets whose validity window includes the current time, sorted by `external_key` by default. `window=any` adds the others. `is_active` is only a filter: without it, the list contains active and inactive assets. `q` searches name, external key, description and tag values. `metadata.<name>=<value>`, for up to five names, keeps assets whose metadata has this text, number or boolean under that name; a name that is sent twice may have either value. `misplaced` and `expand=home` also need `scans:read` or `tracking:read`.
         *
         *     **Access:** an API key with the scope `assets:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listAssets"];
        put?: never;
        /**
         * Create an asset
         * @description Creates the asset and its tags in one transaction. Responds with 409 if the external key or a tag is taken, and then creates nothing. Without `external_key`, the API assigns the next `ASSET-NNNN`.
         *
         *     **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an asset
         * @description **Access:** an API key with the scope `assets:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getAsset"];
        put?: never;
        post?: never;
        /**
         * Delete an asset and its tags
         * @description Frees its `external_key` and tags for reuse. Responds with 404 if the asset is already deleted.
         *
         *     **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteAsset"];
        options?: never;
        head?: never;
        /**
         * Update an asset
         * @description Replaces `metadata` as a whole. Every accepted change advances `updated_at`, even an empty one. To change `external_key`, use the rename operation. To change tags, attach and remove them.
         *
         *     The body is a JSON merge patch (RFC 7396): an absent field stays unchanged, null clears a field, a value sets it. Read-only fields are accepted if they equal the stored values, so you can send back a resource as you read it. Responds with 400 if `updated_at` is stale.
         *
         *     **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        patch: operations["updateAsset"];
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the external key of an asset
         * @description Sending the current key changes nothing. Responds with 409 if the key is taken. `descendant_count_affected` is always 0.
         *
         *     **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["renameAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List locations
         * @description Returns locations whose validity window includes the current time, sorted by `external_key` by default. `window=any` adds the others. `is_active` is only a filter: without it, the list contains active and inactive locations. `q` searches name, external key, description and tag values. `parent_id`, `parent_external_key` and `is_root` exclude each other.
         *
         *     **Access:** an API key with the scope `locations:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listLocations"];
        put?: never;
        /**
         * Create a location
         * @description Creates the location and its tags in one transaction. Responds with 409 if the external key or a tag is taken, and then creates nothing. Without `external_key`, the API assigns the next `LOC-NNN`. Name the parent by `parent_id`, by `parent_external_key`, or by both if they agree. Without a parent, the location is a root.
         *
         *     **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a location
         * @description **Access:** an API key with the scope `locations:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getLocation"];
        put?: never;
        post?: never;
        /**
         * Delete a location and its tags
         * @description Responds with 409 if the location has live sub-locations, and with 404 if it is already deleted.
         *
         *     **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteLocation"];
        options?: never;
        head?: never;
        /**
         * Update or move a location
         * @description To move the location, name the parent by `parent_id`, by `parent_external_key`, or by both if they agree. Null makes the location a root. Responds with 409 if the parent is the location itself or one of its sub-locations. Every accepted change advances `updated_at`, even an empty one. To change `external_key`, use the rename operation. To change tags, attach and remove them.
         *
         *     The body is a JSON merge patch (RFC 7396): an absent field stays unchanged, null clears a field, a value sets it. Read-only fields are accepted if they equal the stored values, so you can send back a resource as you read it. Responds with 400 if `updated_at` is stale.
         *
         *     **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        patch: operations["updateLocation"];
        trace?: never;
    };
    "/api/v1/locations/{location_id}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the external key of a location
         * @description Sending the current key changes nothing. Responds with 409 if the key is taken. `descendant_count_affected` is the number of live sub-locations at any depth.
         *
         *     **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["renameLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the children of a location, or the roots
         * @description Returns locations sorted by name, then id. Without `parent_id`, returns the root locations. Ignores validity windows.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listLocationBranch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}/ancestors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ancestors of a location
         * @description Returns the root first and the parent last. Ignores validity windows.
         *
         *     **Access:** an API key with the scope `locations:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listLocationAncestors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the children of a location
         * @description Returns the direct sub-locations, sorted by name, then id. Ignores validity windows.
         *
         *     **Access:** an API key with the scope `locations:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listLocationChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}/descendants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sub-locations of a location
         * @description Returns sub-locations of any depth, depth first: each location precedes its own sub-locations. Siblings are sorted by name, then id. Ignores validity windows.
         *
         *     **Access:** an API key with the scope `locations:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listLocationDescendants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach a tag to an asset
         * @description Responds with 409 if an asset or a location already has the tag, or if the asset already has 200 tags.
         *
         *     **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["addAssetTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/tags/{tag_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a tag from an asset
         * @description **Access:** an API key with the scope `assets:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["removeAssetTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach a tag to a location
         * @description Responds with 409 if an asset or a location already has the tag, or if the location already has 200 tags.
         *
         *     **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["addLocationTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}/tags/{tag_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a tag from a location
         * @description **Access:** an API key with the scope `locations:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["removeLocationTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a deleted asset and what a restore would bring back
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["previewAssetRestore"];
        put?: never;
        /**
         * Restore a deleted asset with its tags
         * @description A deleted asset can always be restored. Responds with 409 if another asset has its external key: send another `external_key`. Does not take back tags that were attached to something else meanwhile. Restoring an asset that is not deleted changes nothing.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["restoreAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{location_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a deleted location and what a restore would bring back
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["previewLocationRestore"];
        put?: never;
        /**
         * Restore a deleted location with its tags
         * @description A deleted location can always be restored. Responds with 409 if another location has its external key, or if its parent is deleted: send another `external_key` or `parent_id`; null makes it a root. Does not take back tags that were attached to something else meanwhile. Does not restore sub-locations, which were deleted before. Restoring a location that is not deleted changes nothing.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["restoreLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the assets and locations that scanned values name
         * @description Returns one row per value, in the order of the request. A value names a live asset or location by its external key, which must be equal, or by a tag of any type, which is compared as reads are. Each asset or location is in `matches` once. External keys come first, assets before locations. Then come tags: those with exactly this value, then similar ones, the oldest first. Of several similar tags of one type only the one that a read would match counts. More than one match means that the value is ambiguous. Ignores validity windows.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["lookUpValues"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/floor-plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all floor plans
         * @description Leaves out plans and zones of deleted locations. They come back when the location is restored.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listFloorPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/floor-plans/{place}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Save the zones and readers of a floor plan
         * @description Creates the plan if there is none. Responds with 409 if the plan has another version than `version`, or if the organization has too many plans, zones or readers. A zone is of a live location below the place.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        put: operations["saveFloorPlan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/floor-plans/{place}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Save the image of a floor plan
         * @description Creates the plan if there is none. Responds with 409 if the images of the organization are too large together, or if the plan has another version than `version`.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        put: operations["saveFloorImage"];
        post?: never;
        /**
         * Remove the image of a floor plan
         * @description Responds with 409 if the plan has another version than `version`.
         *
         *     **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["removeFloorImage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/floor-plans/images/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the image of a floor plan
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getFloorImage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/floor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all locations with the number of their assets, and the assets that were seen last
         * @description The assets are those of `GET /reports/asset-locations` that have a location, at most 5 000, seen last first. The locations are those of `GET /locations`, at most 10 000, those without a parent first.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getFloor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports
         * @description Returns imports, newest first.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listImports"];
        put?: never;
        /**
         * Import a CSV file
         * @description With `dry_run`, only checks what the import would do. Each column of the file must be known. `column` gives the field of one that is not, as in `column=Bezeichnung:name`; without a field, as in `column=Note:`, it is ignored.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports/{import_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an import and its progress
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        /**
         * Cancel or delete an import
         * @description Cancels a running import; rows that are already imported stay. Deletes a finished import.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports/{import_id}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the processed rows of an import
         * @description Returns the result of each row so far, in the order of the file.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listImportRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports/{import_id}/failed-rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the failed rows of an import as CSV
         * @description The rows as they were in the file, each with its line and its error. Correct the file and import it: an import ignores the columns `import_line` and `import_error`.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["exportFailedImportRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports/{import_id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a finished dry run
         * @description Idempotent: a second call returns the same import.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["applyImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export assets as CSV
         * @description Takes the filters and the order of the list of assets. Without them, it returns all live assets. Unlike the list, it includes assets outside their validity; `window=current` leaves them out. Each row also has the location of the asset and when it was last seen. The file can be imported: an import ignores these columns.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["exportAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all live locations as CSV
         * @description Lists parents before children. The file can be imported.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["exportLocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the location history of an asset
         * @description Returns one row per minute, newest first by default. `duration_seconds` is the time that the asset spent at the previous location before the scan of the row. It is null on the earliest row of the history.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listAssetHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reports/asset-locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where assets were last seen
         * @description Returns one row per scanned asset, most recently seen first by default. An asset that was never scanned has no row. Filter assets by id or by external key, not by both; the same applies to locations. The dwell is the current unbroken time at one location, from the first scan there to the last. A page costs the rows before it. Sorting by location and then by another field sorts all rows for each page. A request that takes too long is stopped after some seconds with 503 `service_unavailable`: narrow it with filters.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listAssetLocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the current location of assets
         * @description Returns external keys, most recently seen first by default. Includes only assets that were last seen at a location that still exists; `GET /reports/asset-locations` also returns the others. `q` searches name, external key and tag values of the asset.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listCurrentLocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{asset_id}/sightings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sightings of an asset
         * @description Returns the history of the asset, newest first, with what decided the location of each row. `duration_seconds` is the time that the asset spent at the previous location before the row. It is null on the earliest row. `waiting` is the place where it was read last in the minute of its newest row, if that is another one.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listSightings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reports/occupancy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the assets at locations and their sub-locations
         * @description Returns locations in the order of the request and omits unknown ones. Counts the assets that `GET /reports/asset-locations` lists. `total` counts all of them, `nowhere` those that were last seen at no location.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listOccupancy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reports/unsteady": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assets whose place is unsteady
         * @description Returns assets that went back and forth between two places at least five times within ten minutes in the last 24 hours (`flapping`), and assets that were last read at another place than the one they are shown at, more than ten minutes ago (`waiting`). The newest are first. `setting` has the values of `PATCH /orgs/{org_id}/placement` that would have prevented it.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listUnsteadyAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/movements/by-location": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get arrivals, dwell and the most assets of each location in a time of at most 7 days
         * @description Of each location that had an asset between `from` and `to`. An asset stays until its next movement, or until it is deleted or no longer valid. At most 200 000 movements count: then `is_cut` is true and `to` is where they end.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listLocationUses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/movements/playback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what moved in a time of at most a day, to play it back
         * @description The state at `from` and all movements until `to`, oldest first: at most 10 000 assets and 200 000 movements.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["playMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List movements
         * @description Returns every change of location in the history as it stands, newest first: late scans and inventory saves count, and movements of deleted assets stay. The first location of an asset, or its first one after a scan without a location, has no `from_location`. Pages have a cursor, so that new movements shift no page: send `cursor` as `after` until `has_more` is false.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/movements/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count movements per hour
         * @description A movement is a history row at a different location than the previous row of the asset, or at its first location. `asset_id` and `type` count only movements of these assets. With `location_id`, each hour also counts the movements to that location and from it. With `include_descendants`, its sub-locations count as part of it; movements among them are counted apart.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["summarizeMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List visits
         * @description Returns unbroken stays of assets at locations, newest first by `started_at`. A visit ends when the asset is seen at another location, or without one. Visits of deleted assets stay. Pages have a cursor: send `cursor` as `after` until `has_more` is false. A page may have fewer rows than `limit`, or none, although there are more: with filters that few visits match, it ends after a part of the history.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reports/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how many visits there were, and how long
         * @description Adds up visits by location, asset, type of asset, or day of the time zone of the organization. Visits are cut at `from` and `to`, and by day at midnight. An open one counts until its asset was last seen. Median and 95th percentile are those of the nearest rank. Groups with the most seconds are first; days are in order.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["reportVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List exports
         * @description Returns exports without their files, newest first.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listExports"];
        put?: never;
        /**
         * Export history, movements, assets or locations
         * @description Begins an export. Its files are made one after the other: read the export until its `status` is `done` or `failed`. An organization has one export running; five more wait.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        post: operations["createExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/{export_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an export, its progress and its files
         * @description **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getExport"];
        put?: never;
        post?: never;
        /**
         * Stop or delete an export
         * @description Stops an export that is not done, and removes its files. Their links end at once.
         *
         *     **Access:** an API key with the scope `scans:read` or its alias `tracking:read`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        delete: operations["deleteExport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/{export_id}/files/{file_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of an export
         * @description The `url` of a file. Takes `Range` of one range and `If-Range`, so tools read the parts that they need, and a download that broke off goes on.
         *
         *     **Access:** anyone. No token required.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["downloadExportFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/movements/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream movements as server-sent events
         * @description Sends the movements of the organization as they happen. Each `asset.moved` event has an `id`. To resume after an event, send its id as `Last-Event-ID`, or as `last_event_id` if a first request cannot set headers. A `reset` event means that the stream cannot resume: reload your data, then continue. The stream ends with the session, at the latest when the token expires. Connect again then.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["streamMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/movements/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the movements of the last minutes
         * @description What moved in the last five minutes: counts per ten seconds, and the newest movements. `last_event_id` says where the live stream continues.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listRecentMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inventory/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save the current location of assets
         * @description Name the assets and the location by external key. An asset that is named twice counts once. Saves all assets, or none if a key does not resolve. The save overrides the reads of an asset in the current minute. If an asset was last seen elsewhere, the API sends `asset.moved` at once. Reports and history show the save when the response arrives.
         *
         *     **Access:** an API key with the scope `scans:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["saveInventory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rules
         * @description **Access:** an API key with the scope `rules:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listRules"];
        put?: never;
        /**
         * Create a rule
         * @description An organization has at most 200. What is already true is raised at once; if that is more than 1000, the answer is 409 with `error.count` unless `raise_existing` says what to do.
         *
         *     **Access:** an API key with the scope `rules:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        post: operations["createRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/{rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a rule
         * @description **Access:** an API key with the scope `rules:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getRule"];
        put?: never;
        post?: never;
        /**
         * Delete a rule
         * @description Its open alerts are resolved; alerts are kept.
         *
         *     **Access:** an API key with the scope `rules:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        delete: operations["deleteRule"];
        options?: never;
        head?: never;
        /**
         * Change a rule, or switch it on or off
         * @description What is left out stays. A change of `kind`, `scope`, `params` or `for_seconds`, and `enabled: true`, count as a new rule: open alerts are resolved, and what is true is raised again.
         *
         *     **Access:** an API key with the scope `rules:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        patch: operations["updateRule"];
        trace?: never;
    };
    "/api/v1/rules/{rule_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to all that a rule tells
         * @description One mail to each address, and one message to each channel. No alert is raised.
         *
         *     **Access:** an API key with the scope `rules:write`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["testRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview what a rule would have raised
         * @description Nothing is stored. The past is the last 7 days, or `from` to `to`, at most 30 days. If that is more than can be read in five seconds, `to` is `too_large`.
         *
         *     **Access:** an API key with the scope `rules:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        post: operations["previewRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Returns alerts, newest first. `from` and `to` are about `raised_at`.
         *
         *     **Access:** an API key with the scope `rules:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/{alert_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an alert
         * @description **Access:** an API key with the scope `rules:read`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/{alert_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an alert
         * @description Again: 200, and a new `note` replaces the one before. A resolved alert is a conflict.
         *
         *     **Access:** an API key with the scope `rules:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge many alerts
         * @description Those that are open. Others, and ids that are unknown, are left out of `count`.
         *
         *     **Access:** an API key with the scope `rules:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** counted.
         */
        post: operations["acknowledgeAlerts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List readers and their health
         * @description Returns configured and discovered readers, without their mappings.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listReaders"];
        put?: never;
        /**
         * Configure a reader
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createReader"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers/{reader_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a configured reader and its health
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getReader"];
        put?: never;
        post?: never;
        /**
         * Delete a reader and its scan points
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteReader"];
        options?: never;
        head?: never;
        /**
         * Update the name or the settings of a reader
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        patch: operations["updateReader"];
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a reader sent in each hour of at most 30 days
         * @description Returns the hours of UTC that overlap `from` to `to` and have a message, oldest first.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listReaderHours"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/scan-points": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the scan points of a reader
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listScanPoints"];
        put?: never;
        /**
         * Assign an antenna to a location
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["createScanPoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/scan-points/{scan_point_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a scan point
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteScanPoint"];
        options?: never;
        head?: never;
        /**
         * Update a scan point
         * @description **Access:** a signed-in administrator of the organization.
         *
         *     **Rate limit:** not counted.
         */
        patch: operations["updateScanPoint"];
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last messages of a reader that were not understood, or only in part
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listReaderMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/reads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream what a reader sends, as server-sent events
         * @description Shows the messages of a reader as they come, also those that are dropped because the rate is exceeded. A `read` event is a read and what becomes of it, a `problem` event says what was not understood, and an `omitted` event counts what came too fast to be shown. Nothing is repeated after an interruption. The stream ends with the session, at the latest when the token expires. Connect again then.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["streamReads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/decode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decode a message as one of a reader, without storing anything
         * @description Returns at most 1000 reads.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["decodeReaderMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reader-presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mappings for the published messages of devices and programs
         * @description **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listReaderPresets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scans/{reader_key}/{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message of a reader
         * @description For readers that send over HTTPS. The body is the message as the device makes it, in the format that the path names, of any media type. The response is 202 as soon as the message is stored, even one that cannot be read: the health of the reader shows what was not understood. The reader need not exist yet. A device that cannot request a token may send the id and the secret of the key by HTTP Basic. Any `User-Agent` is accepted. A reader may send 50 messages a second, and all readers together as many as the keys of the organization allow; beyond that, the response is 429. A body with `Content-Encoding: gzip` or `deflate` is unpacked; 256 KiB is the limit before and after that. With `check=true`, a key that is bound to the reader gets what would become of the message, and nothing is stored. Other parameters are ignored.
         *
         *     **Access:** an API key with the scope `scans:write`, or a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["sendReaderMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scans/{reader_key}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last messages of a reader with a problem, with the key of the reader
         * @description For the person who sets up the device. Only a key that is bound to the reader may ask, by a token or by HTTP Basic. Any `User-Agent` is accepted. The list is that of `GET /readers/{reader_id}/messages`. It is empty for a reader that is not set up and sent nothing, which asking does not change.
         *
         *     **Access:** an API key with the scope `scans:write`, or any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listMessagesOfKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/readers/{reader_id}/test-reads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish one read as a reader
         * @description Publishes a message as the reader would. It is stored like every read, and may move the asset. The response arrives when the broker has the message, usually before it is stored.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["sendTestRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/unknown-tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unknown tags
         * @description Returns tags that readers read and that no asset or location has.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listUnknownTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/unknown-tags/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign an unknown tag to an asset or a location
         * @description Idempotent: if the owner already has the tag, the response is the same as for a new assignment.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        post: operations["claimUnknownTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/unknown-tags/{unknown_tag_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a tag from the list of unknown tags
         * @description The list shows the tag again after the next read.
         *
         *     **Access:** a signed-in member or administrator.
         *
         *     **Rate limit:** not counted.
         */
        delete: operations["deleteUnknownTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens
         * @description Returns the events of the organization in the order in which they were recorded. Send `cursor` as `after` for what follows: no event is left out or repeated. With `wait`, an answer without events comes when the first one happens, or after that many seconds with the cursor to go on with. Events are kept for 7 days; after an older cursor the answer is 410 with `error.cursor`. With `Accept: text/event-stream`, the events are sent as they happen: `id` is the cursor, and `Last-Event-ID` wins over `after`. An organization may wait or stream 25 times at once. With `type=asset.moved` alone, `scans:read` or `tracking:read` is enough.
         *
         *     **Access:** an API key with the scope `events:read`, or any signed-in user. See also the types that `scans:read` may follow.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook of the organization
         * @description **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create the webhook of the organization
         * @description Returns the secret, which is shown only once. Further URLs: `POST /webhook-endpoints`.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the webhook
         * @description **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete the webhook
         * @description **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change the webhook, or switch its deliveries on or off
         * @description A field that is left out stays as it is; `filter` is replaced whole. Events from before a type was added, or from while deliveries were off, are not sent.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret
         * @description Returns the new secret, which is shown only once. For 24 hours, `webhook-signature` also has a signature with the secret before. `X-Service-Signature` is by the new secret at once. A second rotation ends the oldest secret.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Makes one attempt with an event `asset.moved`, even if deliveries are off.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recent delivery attempts
         * @description Returns attempts, newest first.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all webhooks of the organization
         * @description The webhook of `/webhooks` has `primary: true` and comes first.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a further webhook
         * @description Returns the secret, which is shown only once. An organization has up to ten besides the webhook of `/webhooks`, which is created only there.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook
         * @description **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description What waits for it is dropped.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook, or switch its deliveries on or off
         * @description A field that is left out stays as it is; `filter` is replaced whole. Events from before a type was added, or from while deliveries were off, are not sent.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret
         * @description Returns the new secret, which is shown only once. For 24 hours, `webhook-signature` also has a signature with the secret before. `X-Service-Signature` is by the new secret at once. A second rotation ends the oldest secret.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["rotateWebhookEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Makes one attempt with an event `asset.moved`, even if deliveries are off.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the events of a period again
         * @description Sends everything again that was recorded from `from` to `to` and is of the event types of the webhook, with the same `delivery_id`, whether it was delivered or not. `count` says how many events these are, before a filter is applied. Events are kept for 7 days. `occurred_at` and `X-Service-Timestamp` stay those of the event, so the receiver must verify `webhook-timestamp`.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Makes further attempts with the same `delivery_id`, whether it was delivered or not. 404 once it is no longer in the log.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Returns events with what became of them, the one that was recorded last first. An event is listed from its first attempt on, for 7 days; of an endpoint with more, the last 100 000. Test events are not listed.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["listEndpointDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a delivery
         * @description Adds what is sent, and all attempts.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or any signed-in user.
         *
         *     **Rate limit:** counted.
         */
        get: operations["getEndpointDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the events of a period again
         * @description Sends everything again that was recorded from `from` to `to` and is of the event types of the webhook, with the same `delivery_id`, whether it was delivered or not. `count` says how many events these are, before a filter is applied. Events are kept for 7 days. `occurred_at` and `X-Service-Timestamp` stay those of the event, so the receiver must verify `webhook-timestamp`.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["replayEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Makes further attempts with the same `delivery_id`, whether it was delivered or not. 404 once it is no longer in the log.
         *
         *     **Access:** an API key with the scope `webhooks:admin`, or a signed-in administrator of the organization.
         *
         *     **Rate limit:** counted.
         */
        post: operations["resendEndpointDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{webhook_id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what was delivered per hour, and what waits
         * @description `waiting` counts to 100 000 at most. `failing_since` is the first failed attempt after the last success.
         *
         *     **Access:** any signed-in user.
         *
         *     **Rate limit:** not counted.
         */
        get: operations["getEndpointStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The credentials of a key, or a refresh token, in exchange for tokens.
         * @example {
         *       "grant_type": "client_credentials",
         *       "client_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
         *       "client_secret": "wb_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
         *     }
         */
        TokenRequest: {
            /**
             * @description Decides which other fields are required.
             * @enum {string}
             */
            grant_type: "client_credentials" | "refresh_token";
            /** @description The `client_id` of the API key. */
            client_id?: string;
            /** @description The secret of the API key. */
            client_secret?: string;
            /** @description The latest refresh token. Required with the grant `refresh_token`. */
            refresh_token?: string;
            /**
             * @description Scopes of the key, separated by spaces. Limits the tokens to these. Defaults to all.
             * @example assets:read locations:read
             */
            scope?: string;
        };
        /**
         * @example {
         *       "person": 30
         *     }
         */
        RetentionUpdate: {
            /** @description The external key of the asset. */
            asset?: number | null;
            person?: number | null;
            inventory?: number | null;
        };
        /**
         * @description A new API key.
         * @example {
         *       "name": "ERP connector",
         *       "scopes": [
         *         "assets:read",
         *         "scans:read"
         *       ]
         *     }
         */
        ApiKeyCreate: {
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /** @description What the key may do. */
            scopes: ("assets:read" | "assets:write" | "locations:read" | "locations:write" | "scans:read" | "scans:write" | "keys:admin" | "webhooks:admin" | "tracking:read" | "events:read" | "audit:read" | "rules:read" | "rules:write")[];
            /**
             * Format: date-time
             * @description When the key stops working. Null: never. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at?: string | null;
            /**
             * @description The only reader that the key may publish for. Null: any reader.
             * @example dock-1
             */
            reader_key?: string | null;
        };
        /**
         * @example {
         *       "from": "2026-11-01T00:00:00.000Z",
         *       "to": "2026-11-21T10:00:00.000Z"
         *     }
         */
        HistoryErasure: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            from?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            to?: string;
        };
        PlacementUpdate: {
            /**
             * @description What becomes of a place where an asset was read last in a minute that has another one.
             * @enum {string}
             */
            passages?: "next_observation" | "carry";
            /** @description Reads of tags of these types are judged by their strength. */
            tag_types?: ("rfid" | "ble" | "barcode")[];
            /** @description How much stronger another place must be, in dB. */
            margin_db?: number;
            /** @description How long the strength of a place counts, at least a minute. */
            exit_delay_seconds?: number;
            /** @description The strength of the weakest read that counts, in dBm. Null: any. */
            min_rssi_dbm?: number | null;
        };
        /**
         * @example {
         *       "settings": {
         *         "margin_db": 6,
         *         "exit_delay_seconds": 120
         *       },
         *       "hours": 24
         *     }
         */
        PlacementPreviewRequest: {
            settings: components["schemas"]["PlacementUpdate"];
            hours: number;
        };
        /** @description Assets to create and change. */
        AssetBatch: {
            /** @description In order. An `external_key` that an earlier item has fails. An item that fails changes nothing. */
            items: components["schemas"]["AssetBatchItem"][];
        };
        /**
         * @description One asset of a batch: a new one, or what changes about one.
         * @example {
         *       "external_key": "FORKLIFT-7",
         *       "name": "Forklift 7",
         *       "metadata": {
         *         "maker": "Linde"
         *       },
         *       "tags": [
         *         {
         *           "tag_type": "rfid",
         *           "value": "E28011606000020A1B2C3D4E"
         *         }
         *       ]
         *     }
         */
        AssetBatchItem: {
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example FORKLIFT-7
             */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description?: string | null;
            /**
             * @description The kind of asset.
             * @enum {string}
             */
            type?: "asset" | "person" | "inventory";
            metadata?: components["schemas"]["Metadata"];
            /**
             * Format: int64
             * @description The id of the location where the asset belongs. Null if it has no home.
             * @example 4503599627370497
             */
            home_location_id?: number | null;
            /**
             * @description The external key of the location where the asset belongs. Null if it has no home, or if the location was deleted since.
             * @example DOCK-1
             */
            home_location_external_key?: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active?: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            /** @description The tags of the resource, at most 200. */
            tags?: components["schemas"]["TagCreate"][] | null;
        };
        /**
         * @description A new tag of an asset or location.
         * @example {
         *       "tag_type": "rfid",
         *       "value": "3074257BF7194E4000001A85"
         *     }
         */
        TagCreate: {
            /**
             * @description The technology of the tag.
             * @enum {string}
             */
            tag_type: "rfid" | "ble" | "barcode";
            /** @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings. */
            value: string;
        };
        /** @description Locations to create and change. */
        LocationBatch: {
            /** @description In order. An `external_key` that an earlier item has fails. An item that fails changes nothing. */
            items: components["schemas"]["LocationBatchItem"][];
        };
        /**
         * @description One location of a batch: a new one, or what changes about one.
         * @example {
         *       "external_key": "DOCK-1",
         *       "name": "Dock 1",
         *       "parent_external_key": "WAREHOUSE-1"
         *     }
         */
        LocationBatchItem: {
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example FORKLIFT-7
             */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description?: string | null;
            /**
             * Format: int64
             * @description The id of the location that contains this one. Null for a root.
             * @example 4503599627370497
             */
            parent_id?: number | null;
            /**
             * @description The external key of the location that contains this one. Null for a root.
             * @example DOCK-1
             */
            parent_external_key?: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active?: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            /** @description The tags of the resource, at most 200. */
            tags?: components["schemas"]["TagCreate"][] | null;
        };
        /**
         * @description A new asset. Only `name` is required.
         * @example {
         *       "name": "Forklift 7",
         *       "external_key": "FORKLIFT-7",
         *       "description": "Reach truck, battery changed in May",
         *       "type": "asset",
         *       "metadata": {
         *         "maker": "Linde"
         *       },
         *       "valid_from": "2026-11-21T10:00:00Z",
         *       "tags": [
         *         {
         *           "tag_type": "rfid",
         *           "value": "E28011606000020A1B2C3D4E"
         *         }
         *       ]
         *     }
         */
        AssetCreate: {
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. Without it, the API assigns one.
             * @example FORKLIFT-7
             */
            external_key?: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description?: string | null;
            /**
             * @description The kind of asset. Defaults to `asset`.
             * @enum {string}
             */
            type?: "asset" | "person" | "inventory";
            metadata?: components["schemas"]["Metadata"];
            /**
             * Format: int64
             * @description The id of the location where the asset belongs. Null if it has no home.
             * @example 4503599627370497
             */
            home_location_id?: number | null;
            /**
             * @description The external key of the location where the asset belongs. Null if it has no home, or if the location was deleted since.
             * @example DOCK-1
             */
            home_location_external_key?: string | null;
            /** @description A filter of lists. It hides nothing by itself. Defaults to `true`. */
            is_active?: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it. RFC 3339, with any offset. Defaults to the time of the request.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            /** @description The tags of the resource, at most 200. */
            tags?: components["schemas"]["TagCreate"][] | null;
        };
        /**
         * @description What changes about an asset: a merge patch.
         * @example {
         *       "name": "Forklift 8",
         *       "description": null,
         *       "metadata": {
         *         "maker": "Linde",
         *         "serial": "H2X-0815"
         *       }
         *     }
         */
        AssetPatch: {
            /**
             * Format: int64
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             */
            id?: number;
            /** @description Read-only. Accepted if it equals the stored value, refused if it differs. To change it, use the rename operation. */
            external_key?: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description?: string | null;
            /**
             * @description The kind of asset.
             * @enum {string}
             */
            type?: "asset" | "person" | "inventory";
            metadata?: components["schemas"]["Metadata"];
            /**
             * Format: int64
             * @description The id of the location where the asset belongs. Null if it has no home.
             * @example 4503599627370497
             */
            home_location_id?: number | null;
            /**
             * @description The external key of the location where the asset belongs. Null if it has no home, or if the location was deleted since.
             * @example DOCK-1
             */
            home_location_external_key?: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active?: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            /**
             * Format: date-time
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description Read-only. Accepted if it equals the stored value, refused if it differs. Send it to refuse the update if the resource changed since you read it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at?: string;
            /**
             * Format: date-time
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at?: string | null;
            /** @description Read-only. Accepted if it equals the stored value, refused if it differs. Order does not matter. To change tags, use the tag operations. */
            tags?: components["schemas"]["EchoedTag"][];
        };
        /** @description A tag as it was read. Accepted only if it equals the stored one. */
        EchoedTag: {
            /**
             * Format: int64
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             */
            id?: number;
            /** @description The technology of the tag. */
            tag_type?: string;
            /** @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings. */
            value?: string;
            /** @description Ignored. */
            epc?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * @description The new key of an asset or location.
         * @example {
         *       "external_key": "NORTH-1"
         *     }
         */
        Rename: {
            /**
             * @description The new external key. Letters, digits and hyphens; case-sensitive.
             * @example FORKLIFT-7
             */
            external_key: string;
        };
        /**
         * @description A new location. Only `name` is required.
         * @example {
         *       "name": "Dock 1",
         *       "external_key": "DOCK-1",
         *       "description": "North side",
         *       "parent_external_key": "WAREHOUSE-1"
         *     }
         */
        LocationCreate: {
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. Without it, the API assigns one.
             * @example DOCK-1
             */
            external_key?: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description?: string | null;
            /**
             * Format: int64
             * @description The id of the location that contains this one. Null for a root.
             * @example 4503599627370497
             */
            parent_id?: number | null;
            /**
             * @description The external key of the location that contains this one. Null for a root.
             * @example DOCK-1
             */
            parent_external_key?: string | null;
            /** @description A filter of lists. It hides nothing by itself. Defaults to `true`. */
            is_active?: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it. RFC 3339, with any offset. Defaults to the time of the request.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            /** @description The tags of the resource, at most 200. */
            tags?: components["schemas"]["TagCreate"][] | null;
        };
        /**
         * @description What changes about a location: a merge patch.
         * @example {
         *       "name": "Dock 2",
         *       "description": null,
         *       "parent_external_key": "WAREHOUSE-1"
         *     }
         */
        LocationPatch: {
            /**
             * Format: int64
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             */
            id?: number;
            /** @description Read-only. Accepted if it equals the stored value, refused if it differs. To change it, use the rename operation. */
            external_key?: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description?: string | null;
            /**
             * Format: int64
             * @description The id of the location that contains this one. Null for a root.
             * @example 4503599627370497
             */
            parent_id?: number | null;
            /**
             * @description The external key of the location that contains this one. Null for a root.
             * @example DOCK-1
             */
            parent_external_key?: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active?: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            /**
             * Format: date-time
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description Read-only. Accepted if it equals the stored value, refused if it differs. Send it to refuse the update if the resource changed since you read it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at?: string;
            /**
             * Format: date-time
             * @description Read-only. Accepted if it equals the stored value, refused if it differs.
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at?: string | null;
            /** @description Read-only. Accepted if it equals the stored value, refused if it differs. Order does not matter. To change tags, use the tag operations. */
            tags?: components["schemas"]["EchoedTag"][];
        };
        /**
         * @example {
         *       "external_key": "FORKLIFT-7B"
         *     }
         */
        AssetRestore: {
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example FORKLIFT-7
             */
            external_key?: string;
        };
        /**
         * @example {
         *       "external_key": "DOCK-1B",
         *       "parent_id": null
         *     }
         */
        LocationRestore: {
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example FORKLIFT-7
             */
            external_key?: string;
            /**
             * Format: int64
             * @description The id of the location that contains this one. Null for a root.
             * @example 4503599627370497
             */
            parent_id?: number | null;
        };
        /**
         * @example {
         *       "values": [
         *         "FORKLIFT-7",
         *         "E28011606000020A1B2C3D4E"
         *       ]
         *     }
         */
        Lookup: {
            values: string[];
        };
        /**
         * @example {
         *       "zones": [
         *         {
         *           "location_id": 4503599627370497,
         *           "points": [
         *             [
         *               0,
         *               0
         *             ],
         *             [
         *               5000,
         *               0
         *             ],
         *             [
         *               5000,
         *               2500
         *             ]
         *           ]
         *         }
         *       ],
         *       "readers": [
         *         {
         *           "reader_id": 4503599627370498,
         *           "x": 2500,
         *           "y": 100
         *         }
         *       ],
         *       "version": 0
         *     }
         */
        FloorPlanSave: {
            zones: components["schemas"]["Zone"][];
            readers: components["schemas"]["PlacedReader"][];
            version: number;
        };
        Zone: {
            /**
             * Format: int64
             * @description The id of the location.
             * @example 4503599627370497
             */
            location_id: number;
            points: (number)[][];
        };
        PlacedReader: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            reader_id: number;
            x: number;
            y: number;
        };
        /**
         * @description What to export.
         * @example {
         *       "dataset": "history",
         *       "format": "parquet"
         *     }
         */
        ExportCreate: {
            /**
             * @description `history`: each minute in which an asset was seen. `movements`: each change of a location. `assets`, `locations`: as they are now, also those that are deleted.
             * @enum {string}
             */
            dataset: "history" | "movements" | "assets" | "locations";
            /**
             * Format: date-time
             * @description RFC 3339, with any offset. Default: the oldest history that is kept.
             * @example 2026-11-21T10:00:00.000Z
             */
            from?: string;
            /**
             * Format: date-time
             * @description RFC 3339, with any offset. Default, and at the latest: now.
             * @example 2026-11-21T10:00:00.000Z
             */
            to?: string;
            /**
             * @description `csv` and `ndjson` files are compressed with gzip.
             * @enum {string}
             */
            format: "csv" | "ndjson" | "parquet";
        };
        /**
         * @description Assets that are at a location now.
         * @example {
         *       "asset_identifiers": [
         *         "FORKLIFT-7",
         *         "PALLET-0031"
         *       ],
         *       "location_identifier": "DOCK-1"
         *     }
         */
        InventorySave: {
            /** @description External keys of the assets, 1 to 10 000. A key that is repeated counts once. */
            asset_identifiers: string[];
            /**
             * @description The external key of the location where the assets are.
             * @example DOCK-1
             */
            location_identifier: string;
        };
        /**
         * @description A new rule.
         * @example {
         *       "name": "Inventory not seen for a day",
         *       "kind": "not_seen_for",
         *       "scope": {
         *         "asset_types": [
         *           "inventory"
         *         ]
         *       },
         *       "params": {
         *         "seconds": 86400
         *       },
         *       "schedule": {
         *         "days": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ],
         *         "from": "06:00",
         *         "to": "22:00"
         *       }
         *     }
         */
        RuleCreate: {
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * @description What it tells of. `entered`, `left`: a movement into or out of the places. `stayed_longer_than`: the time in them together. `missing_at`: what is not inside at a time of the day, also what was never seen. `not_seen_for`: what was not read for so long. `away_from_home`: what is not at its home. `reader_silent`: readers.
             * @example stayed_longer_than
             * @enum {string}
             */
            kind: "entered" | "left" | "not_seen_for" | "stayed_longer_than" | "missing_at" | "away_from_home" | "reader_silent";
            /**
             * @description Whether it raises alerts. Default: true.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description How bad it is. Default: `warning`.
             * @example warning
             * @enum {string}
             */
            severity?: "info" | "warning" | "critical";
            /** @description What it is about. Default: all assets. */
            scope?: components["schemas"]["RuleScopeInput"];
            /** @description The times of its kind. */
            params?: components["schemas"]["RuleParamsInput"];
            /**
             * @description How long the condition must hold without a break. Default: 0.
             * @example 0
             */
            for_seconds?: number;
            /** @description When alerts are raised. Null: at any time. What is true when the window opens is raised then. */
            schedule?: components["schemas"]["RuleScheduleInput"] | null;
            /** @description How people and programs hear of it. */
            notify?: components["schemas"]["RuleNotifyInput"];
        };
        /** @description What a rule is about. An empty list sets no condition. */
        RuleScopeInput: {
            /** @description Assets. An empty list means any. A deleted asset matches nothing. */
            asset_ids?: number[];
            /** @description Types of assets. An empty list means any. */
            asset_types?: ("asset" | "person" | "inventory")[];
            metadata?: components["schemas"]["Metadata"];
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids?: number[];
            /** @description Whether what is in these locations counts too. Default: true. */
            include_descendants?: boolean;
            /** @description Readers, for `reader_silent` alone. An empty list means any. */
            reader_ids?: number[];
        };
        /** @description The times of a rule, by its kind. */
        RuleParamsInput: {
            /**
             * @description Of `stayed_longer_than` and `not_seen_for`; of `reader_silent`, instead of the usual pauses of the reader.
             * @example 14400
             */
            seconds?: number | null;
            /**
             * @description Of `missing_at`, in the time zone of the organization.
             * @example 08:00
             */
            time?: string | null;
            /**
             * @description Of `entered` and `left`: the alert is resolved after so long. Without it, by the opposite alone.
             * @example 3600
             */
            resolve_after_seconds?: number | null;
        };
        /** @description When a rule raises alerts. */
        RuleScheduleInput: {
            /**
             * @description Days on which the window begins: 1 is Monday.
             * @example [
             *       1,
             *       2,
             *       3,
             *       4,
             *       5
             *     ]
             */
            days: number[];
            /**
             * @description When it begins, in the time zone of the organization.
             * @example 06:00
             */
            from: string;
            /**
             * @description When it ends: on the next day if it is earlier than `from`.
             * @example 22:00
             */
            to: string;
        };
        /** @description How people and programs hear of an alert. */
        RuleNotifyInput: {
            /**
             * @description Whether `alert.raised` and `alert.resolved` are sent. Default: true.
             * @example true
             */
            event?: boolean;
            /**
             * @description Who gets a mail: verified addresses of members, and `admins` for all administrators. The first alert is mailed at once, further ones together after five minutes, in at most 20 mails a day and rule.
             * @example [
             *       "admins"
             *     ]
             */
            email?: string[];
            /** @description Channels that get the same. Their addresses are secrets: they are shown without their path. */
            chat?: components["schemas"]["RuleChatInput"][];
            /**
             * @description How often to tell again of alerts that nobody has acknowledged. Null: never.
             * @example 60
             */
            remind_minutes?: number | null;
        };
        /** @description A channel that is told. */
        RuleChatInput: {
            /**
             * @description The program of the channel. `generic` gets JSON.
             * @example slack
             * @enum {string}
             */
            kind: "slack" | "teams" | "google_chat" | "generic";
            /**
             * @description The https address that takes messages. One that is sent back as it is shown stays as it is.
             * @example https://hooks.example.com/…x7Qz
             */
            url: string;
        };
        /**
         * @description What to change of a rule. What is absent stays.
         * @example {
         *       "enabled": false
         *     }
         */
        RuleUpdate: {
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /**
             * @description What it tells of. `entered`, `left`: a movement into or out of the places. `stayed_longer_than`: the time in them together. `missing_at`: what is not inside at a time of the day, also what was never seen. `not_seen_for`: what was not read for so long. `away_from_home`: what is not at its home. `reader_silent`: readers.
             * @example stayed_longer_than
             * @enum {string}
             */
            kind?: "entered" | "left" | "not_seen_for" | "stayed_longer_than" | "missing_at" | "away_from_home" | "reader_silent";
            /**
             * @description Whether it raises alerts. Default: true.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description How bad it is. Default: `warning`.
             * @example warning
             * @enum {string}
             */
            severity?: "info" | "warning" | "critical";
            /** @description What it is about. Default: all assets. */
            scope?: components["schemas"]["RuleScopeUpdate"];
            /** @description The times of its kind. */
            params?: components["schemas"]["RuleParamsInput"];
            /**
             * @description How long the condition must hold without a break. Default: 0.
             * @example 0
             */
            for_seconds?: number;
            /** @description When alerts are raised. Null: at any time. What is true when the window opens is raised then. */
            schedule?: components["schemas"]["RuleScheduleUpdate"] | null;
            /** @description How people and programs hear of it. */
            notify?: components["schemas"]["RuleNotifyInput"];
        };
        /** @description What to change of what a rule is about. Null removes a name of metadata. */
        RuleScopeUpdate: {
            /** @description Assets. An empty list means any. A deleted asset matches nothing. */
            asset_ids?: number[];
            /** @description Types of assets. An empty list means any. */
            asset_types?: ("asset" | "person" | "inventory")[];
            metadata?: components["schemas"]["Metadata"];
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids?: number[];
            /** @description Whether what is in these locations counts too. Default: true. */
            include_descendants?: boolean;
            /** @description Readers, for `reader_silent` alone. An empty list means any. */
            reader_ids?: number[];
        };
        /** @description What to change of a schedule. */
        RuleScheduleUpdate: {
            /**
             * @description Days on which the window begins: 1 is Monday.
             * @example [
             *       1,
             *       2,
             *       3,
             *       4,
             *       5
             *     ]
             */
            days?: number[];
            /**
             * @description When it begins, in the time zone of the organization.
             * @example 06:00
             */
            from?: string;
            /**
             * @description When it ends: on the next day if it is earlier than `from`.
             * @example 22:00
             */
            to?: string;
        };
        /**
         * @description A rule, and the past that it looks at.
         * @example {
         *       "rule": {
         *         "name": "Inventory not seen for a day",
         *         "kind": "not_seen_for",
         *         "scope": {
         *           "asset_types": [
         *             "inventory"
         *           ]
         *         },
         *         "params": {
         *           "seconds": 86400
         *         }
         *       }
         *     }
         */
        RulePreviewRequest: {
            rule: components["schemas"]["RuleCreate"];
            /**
             * Format: date-time
             * @description Where the past begins. Default: 7 days before `to`.
             * @example 2026-11-21T10:00:00.000Z
             */
            from?: string;
            /**
             * Format: date-time
             * @description Where the past ends. Default: now.
             * @example 2026-11-21T10:00:00.000Z
             */
            to?: string;
        };
        ReaderCreate: {
            /**
             * @description The only reader that the key may publish for. Null: any reader.
             * @example dock-1
             */
            reader_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /** @enum {string} */
            format: "canonical" | "impinj" | "zebra" | "csl" | "moko" | "minew" | "gl-s10" | "kkm" | "mapping";
            /** @example Asia/Singapore */
            timezone?: string | null;
            /** @enum {string} */
            time_source?: "reader" | "receipt";
            mapping?: components["schemas"]["ReaderMappingCreate"] | null;
        };
        ReaderMappingCreate: {
            /** @example /tags */
            reads: string;
            /** @example /id */
            beacon?: string | components["schemas"]["ReaderMappingBeaconCreate"];
            /** @example /epc */
            tag?: string;
            /**
             * @description The technology of the tag.
             * @enum {string}
             */
            tag_type?: "rfid" | "ble" | "barcode";
            /** @enum {string} */
            tag_format?: "hex" | "base64url" | "mac" | "text";
            /** @example /epc */
            antenna?: string;
            /**
             * @description The external key of the location.
             * @example /epc
             */
            location?: string;
            /**
             * @description How many events these are.
             * @example /epc
             */
            count?: string;
            /** @example /epc */
            rssi?: string;
            /** @enum {string} */
            rssi_unit?: "dBm" | "dBm/10" | "dBm/100";
            /** @example /epc */
            time?: string;
            /** @enum {string} */
            time_format?: "iso" | "epoch" | "epoch_s" | "epoch_ms" | "epoch_us" | "local";
            /** @example /epc */
            zone?: string;
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @example /epc
             */
            event?: string;
            read_events?: (string | number | boolean)[];
            heartbeat_events?: (string | number | boolean)[];
            /** @example /epc */
            identity?: string;
            also?: components["schemas"]["ReaderMappingPartCreate"][];
        };
        /**
         * @example {
         *       "uuid": "/uuid",
         *       "major": "/major",
         *       "minor": "/minor"
         *     }
         */
        ReaderMappingBeaconCreate: {
            /** @example /epc */
            uuid?: string;
            /** @example /epc */
            major?: string;
            /** @example /epc */
            minor?: string;
            /** @enum {string} */
            number_format?: "decimal" | "hex";
            /** @example /epc */
            manufacturer_data?: string;
        };
        ReaderMappingPartCreate: {
            /** @example /tags */
            reads: string;
            /** @example /id */
            beacon?: string | components["schemas"]["ReaderMappingBeaconCreate"];
            /** @example /epc */
            tag?: string;
            /**
             * @description The technology of the tag.
             * @enum {string}
             */
            tag_type?: "rfid" | "ble" | "barcode";
            /** @enum {string} */
            tag_format?: "hex" | "base64url" | "mac" | "text";
            /** @example /epc */
            antenna?: string;
            /**
             * @description The external key of the location.
             * @example /epc
             */
            location?: string;
            /**
             * @description How many events these are.
             * @example /epc
             */
            count?: string;
            /** @example /epc */
            rssi?: string;
            /** @enum {string} */
            rssi_unit?: "dBm" | "dBm/10" | "dBm/100";
            /** @example /epc */
            time?: string;
            /** @enum {string} */
            time_format?: "iso" | "epoch" | "epoch_s" | "epoch_ms" | "epoch_us" | "local";
            /** @example /epc */
            zone?: string;
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @example /epc
             */
            event?: string;
            read_events?: (string | number | boolean)[];
            heartbeat_events?: (string | number | boolean)[];
        };
        ReaderUpdate: {
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /** @enum {string} */
            format?: "canonical" | "impinj" | "zebra" | "csl" | "moko" | "minew" | "gl-s10" | "kkm" | "mapping";
            /** @example Asia/Singapore */
            timezone?: string | null;
            /** @enum {string} */
            time_source?: "reader" | "receipt";
            mapping?: components["schemas"]["ReaderMappingCreate"] | null;
        };
        ScanPointCreate: {
            antenna?: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id?: number | null;
            /**
             * @description The external key of the location. Null where `location_id` is.
             * @example FORKLIFT-7
             */
            location_external_key?: string | null;
            /** @description The strength of the weakest read that counts, in dBm. Null: any. */
            min_rssi_dbm?: number | null;
            rssi_offset_db?: number;
        };
        ScanPointUpdate: {
            antenna?: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name?: string;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id?: number | null;
            /**
             * @description The external key of the location. Null where `location_id` is.
             * @example FORKLIFT-7
             */
            location_external_key?: string | null;
            /** @description The strength of the weakest read that counts, in dBm. Null: any. */
            min_rssi_dbm?: number | null;
            rssi_offset_db?: number;
        };
        /**
         * @example {
         *       "message": {
         *         "reads": [
         *           {
         *             "tag": {
         *               "type": "rfid",
         *               "value": "E28011606000020A1B2C3D4E"
         *             }
         *           }
         *         ]
         *       }
         *     }
         */
        DecodeRequest: {
            /** @description For people. The text may change. */
            message: unknown;
            /** @enum {string} */
            format?: "canonical" | "impinj" | "zebra" | "csl" | "moko" | "minew" | "gl-s10" | "kkm" | "mapping";
            mapping?: components["schemas"]["ReaderMappingCreate"] | null;
            topic?: string;
        };
        /**
         * @example {
         *       "tag_type": "rfid",
         *       "value": "E28011606000020A1B2C3D4E",
         *       "antenna": 1
         *     }
         */
        TestRead: {
            /**
             * @description The technology of the tag.
             * @enum {string}
             */
            tag_type: "rfid" | "ble" | "barcode";
            /** @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings. */
            value: string;
            antenna?: number;
        };
        UnknownTagClaim: {
            /**
             * @description The technology of the tag.
             * @enum {string}
             */
            tag_type: "rfid" | "ble" | "barcode";
            /** @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings. */
            value: string;
            /**
             * Format: int64
             * @description The id of the asset.
             * @example 4503599627370497
             */
            asset_id?: number;
            /**
             * @description The external key of the asset.
             * @example FORKLIFT-7
             */
            asset_external_key?: string;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id?: number;
            /**
             * @description The external key of the location. Null where `location_id` is.
             * @example FORKLIFT-7
             */
            location_external_key?: string;
        };
        /**
         * @description Which assets and locations events must be about. Null or an object without conditions: any.
         * @example {
         *       "asset_types": [
         *         "asset"
         *       ],
         *       "location_ids": [
         *         4503599627370498
         *       ],
         *       "include_descendants": true
         *     }
         */
        WebhookFilterInput: {
            /** @description Types of assets. An empty list means any. */
            asset_types?: ("asset" | "person" | "inventory")[];
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids?: number[];
            /** @description Whether sub-locations of these locations count. */
            include_descendants?: boolean;
        };
        /** @description The period whose events are sent again. */
        ReplayRequest: {
            /**
             * Format: date-time
             * @description Events that were recorded at this time or later. RFC 3339, with any offset.
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Events that were recorded at this time or earlier. Without it: until now.
             * @example 2026-11-21T10:00:00.000Z
             */
            to?: string;
            /**
             * @description Only events of these types. Without it: of all types that the webhook gets.
             * @example [
             *       "asset.moved"
             *     ]
             */
            event_types?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished" | "webhook.failing" | "webhook.recovered" | "webhook.disabled")[];
        };
        /** @description The asset that moved, and between which locations. */
        AssetMovedData: {
            asset: components["schemas"]["MovedAsset"];
            /** @description Null for a first sighting, after a scan without a location, and if that location was deleted. */
            from_location: components["schemas"]["EventLocation"] | null;
            to_location: components["schemas"]["EventLocation"];
        };
        /** @description The asset that moved, as it was when the event was made. */
        MovedAsset: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /** @description A location, as it was when the event was made. */
        EventLocation: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /** @description The asset as the API shows it. */
        AssetCreatedData: {
            asset: components["schemas"]["Asset"];
        };
        /**
         * @description A thing, a person or stock that carries tags. Readers move it by reading them.
         * @example {
         *       "id": 4503599627370497,
         *       "external_key": "FORKLIFT-7",
         *       "name": "Forklift 7",
         *       "description": "Reach truck, battery changed in May",
         *       "type": "asset",
         *       "metadata": {
         *         "maker": "Linde"
         *       },
         *       "home_location_id": null,
         *       "home_location_external_key": null,
         *       "is_active": true,
         *       "valid_from": "2026-11-21T10:00:00.000Z",
         *       "valid_to": null,
         *       "created_at": "2026-11-21T10:00:00.000Z",
         *       "updated_at": "2026-11-21T10:00:00.000Z",
         *       "deleted_at": null,
         *       "tags": [
         *         {
         *           "id": 4503599627370521,
         *           "tag_type": "rfid",
         *           "value": "E28011606000020A1B2C3D4E"
         *         }
         *       ]
         *     }
         */
        Asset: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example FORKLIFT-7
             */
            external_key: string;
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends.
             * @example Forklift 7
             */
            name: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description: string | null;
            /**
             * @description The kind of asset. Known values: `asset`, `person`, `inventory`.
             * @example asset
             */
            type: string;
            metadata: components["schemas"]["Metadata"];
            /**
             * Format: int64
             * @description The id of the location where the asset belongs. Null if it has no home.
             * @example 4503599627370497
             */
            home_location_id: number | null;
            /** @description The external key of the location where the asset belongs. Null if it has no home, or if the location was deleted since. */
            home_location_external_key: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the resource was last changed. Attaching and removing tags does not change it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the resource was deleted. Null if it is not deleted.
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at: string | null;
            /** @description The tags of the resource, at most 200. */
            tags: components["schemas"]["Tag"][];
            /** @description With `expand=home`: the home of the asset. Null if it has none, or if it was deleted since. */
            home_location?: components["schemas"]["ExpandedThing"] | null;
            /** @description With `expand=home`: whether the asset is at its home or below it. Null if it has no home or no location, or if either was deleted since. */
            is_home?: boolean | null;
        };
        /**
         * @description A label that readers read, on one asset or location.
         * @example {
         *       "id": 4503599627370497,
         *       "tag_type": "rfid",
         *       "value": "3074257BF7194E4000001A85",
         *       "epc": {
         *         "scheme": "sgtin-96",
         *         "uri": "urn:epc:tag:sgtin-96:3.0614141.812345.6789",
         *         "pure_identity_uri": "urn:epc:id:sgtin:0614141.812345.6789",
         *         "company_prefix": "0614141",
         *         "filter": 3,
         *         "serial": "6789"
         *       }
         *     }
         */
        Tag: {
            /**
             * Format: int64
             * @description The id of the tag, to remove it.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type: string;
            /**
             * @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings.
             * @example 3074257BF7194E4000001A85
             */
            value: string;
            /** @description The EPC in the value. `rfid` tags alone have it, null if the value is not an EPC of these schemes, in hex or as a URN. */
            epc?: components["schemas"]["Epc"] | null;
        };
        /**
         * @description What the value of a tag says according to the GS1 Tag Data Standard.
         * @example {
         *       "scheme": "sgtin-96",
         *       "uri": "urn:epc:tag:sgtin-96:3.0614141.812345.6789",
         *       "pure_identity_uri": "urn:epc:id:sgtin:0614141.812345.6789",
         *       "company_prefix": "0614141",
         *       "filter": 3,
         *       "serial": "6789"
         *     }
         */
        Epc: {
            /**
             * @description The scheme of the GS1 Tag Data Standard. Known values: `sgtin-96`, `sscc-96`, `sgln-96`, `grai-96`, `giai-96`.
             * @example sgtin-96
             */
            scheme: string;
            /** @description The EPC as a tag URI. For a value that is a pure identity, the same as `pure_identity_uri`. */
            uri: string;
            /** @description The EPC without the filter value. */
            pure_identity_uri: string;
            /** @description The GS1 company prefix. */
            company_prefix: string;
            /** @description The filter value. Null for a value that is a pure identity, which matches each of them. */
            filter: number | null;
            /** @description The serial number, for `sgln-96` the extension. Null for `sscc-96` and `giai-96`, which have none. */
            serial: string | null;
        };
        /**
         * @description The asset or location of a row as it is now, with `expand`.
         * @example {
         *       "id": 4503599627370497,
         *       "external_key": "FORKLIFT-7",
         *       "name": "Forklift 7"
         *     }
         */
        ExpandedThing: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /** @description The asset as the API shows it, and the names of the fields that changed. */
        AssetUpdatedData: {
            asset: components["schemas"]["Asset"];
            /** @description The names of the fields that changed, sorted, without `updated_at`. */
            changed: string[];
        };
        /** @description The asset that was deleted. */
        AssetDeletedData: {
            asset: components["schemas"]["EventOwner"];
        };
        /** @description An asset or a location, as it was when the event was made. */
        EventOwner: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /** @description The location as the API shows it. */
        LocationCreatedData: {
            location: components["schemas"]["Location"];
        };
        /**
         * @description A place, inside of another one or a root.
         * @example {
         *       "id": 4503599627370513,
         *       "external_key": "DOCK-1",
         *       "name": "Dock 1",
         *       "description": "North side",
         *       "parent_id": 4503599627370512,
         *       "parent_external_key": "WAREHOUSE-1",
         *       "is_active": true,
         *       "valid_from": "2026-11-21T10:00:00.000Z",
         *       "valid_to": null,
         *       "created_at": "2026-11-21T10:00:00.000Z",
         *       "updated_at": "2026-11-21T10:00:00.000Z",
         *       "deleted_at": null,
         *       "tags": []
         *     }
         */
        Location: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example DOCK-1
             */
            external_key: string;
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends.
             * @example Dock 1
             */
            name: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description: string | null;
            /**
             * Format: int64
             * @description The id of the location that contains this one. Null for a root.
             * @example 4503599627370497
             */
            parent_id: number | null;
            /** @description The external key of the location that contains this one. Null for a root. */
            parent_external_key: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the resource was last changed. Attaching and removing tags does not change it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the resource was deleted. Null if it is not deleted.
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at: string | null;
            /** @description The tags of the resource, at most 200. */
            tags: components["schemas"]["Tag"][];
        };
        /** @description The location as the API shows it, and the names of the fields that changed. */
        LocationUpdatedData: {
            location: components["schemas"]["Location"];
            /** @description The names of the fields that changed, sorted, without `updated_at`. */
            changed: string[];
        };
        /** @description The location that was deleted. */
        LocationDeletedData: {
            location: components["schemas"]["EventOwner"];
        };
        /** @description The tag, and the asset or location that has it. */
        TagAttachedData: {
            tag: components["schemas"]["Tag"];
            /** @description The external key of the asset. */
            asset?: components["schemas"]["EventOwner"];
            /** @description The external key of the location. */
            location?: components["schemas"]["EventOwner"];
        };
        /** @description The tag, and the asset or location that had it. */
        TagDetachedData: {
            tag: components["schemas"]["Tag"];
            /** @description The external key of the asset. */
            asset?: components["schemas"]["EventOwner"];
            /** @description The external key of the location. */
            location?: components["schemas"]["EventOwner"];
        };
        /** @description A reader, and when its newest message arrived. */
        ReaderEventData: {
            reader: components["schemas"]["EventReader"];
            /**
             * Format: date-time
             * @description When its newest message arrived.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_seen: string;
        };
        /** @description A reader, as it was when the event was made. */
        EventReader: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The key of the reader, as in the topic over MQTT. */
            reader_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /** @description An alert, as it was when the event was made. */
        AlertEventData: {
            alert: components["schemas"]["Alert"];
        };
        /**
         * @description Something that a rule has told.
         * @example {
         *       "id": 4503599627370501,
         *       "rule": {
         *         "id": 4503599627370500,
         *         "name": "Pallets that stay in Receiving",
         *         "kind": "stayed_longer_than",
         *         "severity": "warning"
         *       },
         *       "subject": {
         *         "type": "asset",
         *         "id": 4503599627370497,
         *         "external_key": "PALLET-7",
         *         "name": "Pallet 7"
         *       },
         *       "location": {
         *         "id": 4503599627370498,
         *         "external_key": "RECEIVING",
         *         "name": "Receiving"
         *       },
         *       "state": "acknowledged",
         *       "note": "On my way",
         *       "raised_at": "2026-11-21T14:00:00.000Z",
         *       "acknowledged_at": "2026-11-21T14:05:00.000Z",
         *       "acknowledged_by": {
         *         "type": "user",
         *         "id": 4503599627370502,
         *         "name": "Ada"
         *       },
         *       "resolved_at": null,
         *       "resolved_because": null
         *     }
         */
        Alert: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            rule: components["schemas"]["AlertRule"];
            subject: components["schemas"]["AlertSubject"];
            /** @description The external key of the location. */
            location: components["schemas"]["AlertLocation"] | null;
            /**
             * @description How far it is. Known values: `raised`, `acknowledged`, `resolved`.
             * @example raised
             */
            state: string;
            /**
             * @description What was noted with the acknowledgement.
             * @example On my way
             */
            note: string | null;
            /**
             * Format: date-time
             * @description When the condition had held for `for_seconds`.
             * @example 2026-11-21T10:00:00.000Z
             */
            raised_at: string;
            /**
             * Format: date-time
             * @description When somebody took note of it.
             * @example 2026-11-21T10:00:00.000Z
             */
            acknowledged_at: string | null;
            /** @description Who took note of it first. */
            acknowledged_by: components["schemas"]["AlertAcknowledger"] | null;
            /**
             * Format: date-time
             * @description When it was over. Null while it is open.
             * @example 2026-11-21T10:00:00.000Z
             */
            resolved_at: string | null;
            /**
             * @description Known values: `condition`, `timeout`, `rule_changed`, `rule_disabled`, `rule_deleted`, `subject_deleted`.
             * @example condition
             */
            resolved_because: string | null;
        };
        /** @description The rule of an alert, with the severity that it had then. */
        AlertRule: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * @description Known values: `entered`, `left`, `not_seen_for`, `stayed_longer_than`, `missing_at`, `away_from_home`, `reader_silent`.
             * @example entered
             */
            kind: string;
            /**
             * @description Known values: `info`, `warning`, `critical`.
             * @example info
             */
            severity: string;
        };
        /**
         * @description What an alert is about: an asset, a reader, or the rule itself.
         * @example {
         *       "type": "asset",
         *       "id": 4503599627370497,
         *       "external_key": "PALLET-7",
         *       "name": "Pallet 7"
         *     }
         */
        AlertSubject: {
            /**
             * @description The kind of asset. Known values: `asset`, `reader`, `rule`.
             * @example asset
             */
            type: string;
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key?: string;
            /** @description The only reader that the key may publish for. Null: any reader. */
            reader_key?: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /**
         * @description Where it happened.
         * @example {
         *       "id": 4503599627370498,
         *       "external_key": "RECEIVING",
         *       "name": "Receiving"
         *     }
         */
        AlertLocation: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /** @description Who acknowledged an alert. What is unknown is null. */
        AlertAcknowledger: {
            /**
             * @description The kind of asset. Known values: `user`, `key`.
             * @example user
             */
            type: string;
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number | null;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string | null;
        };
        /** @description An import that ended. */
        ImportFinishedData: {
            import: components["schemas"]["Import"];
        };
        /** @description An import of a CSV file, and how far it is. */
        Import: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description Known values: `assets`, `locations`.
             * @example assets
             */
            resource: string;
            /** @description Whether it only tells what it would change. */
            dry_run: boolean;
            /**
             * @description `failed`: all attempts were used. `dropped`: the endpoint was off, or its filter left the event out. Known values: `pending`, `running`, `done`, `cancelled`, `failed`.
             * @example pending
             */
            state: string;
            /**
             * @description The rows of the file.
             * @example 0
             */
            rows_total: number;
            /**
             * @description The rows that are processed.
             * @example 0
             */
            rows_done: number;
            /**
             * @description Rows that created a resource.
             * @example 0
             */
            created: number;
            /**
             * @description Rows that changed a resource.
             * @example 0
             */
            updated: number;
            /**
             * @description Rows that equal the stored resource.
             * @example 0
             */
            unchanged: number;
            /**
             * @description Rows with an error, which changed nothing.
             * @example 0
             */
            failed: number;
            /**
             * @description Rows with a warning.
             * @example 0
             */
            warned: number;
            /**
             * @description Tags that the rows remove, or would remove in a dry run.
             * @example 0
             */
            tags_removed: number;
            /**
             * @description Known values: `utf-8`, `utf-16le`, `utf-16be`, `windows-1252`.
             * @example utf-8
             */
            encoding: string;
            /**
             * @description Known values: `clear`, `keep`.
             * @example clear
             */
            empty_cells: string;
            /** @description Up to three names of the file, of those with characters that are not ASCII if there are any. */
            first_names: string[];
            /**
             * Format: int64
             * @description The id of the dry run whose rows it executes. Null for a file of its own.
             * @example 4503599627370497
             */
            applied_from: number | null;
            /** @description Columns of the file that the import does not read: those of an export, and those to be ignored. */
            ignored_columns: string[];
            /**
             * Format: int64
             * @description The id of the user who sent the file. Null if a key did.
             * @example 4503599627370497
             */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it began. Null while it waits.
             * @example 2026-11-21T10:00:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended. Null until then.
             * @example 2026-11-21T10:00:00.000Z
             */
            finished_at: string | null;
        };
        /** @description An access token, and the refresh token for the next one. */
        TokenPair: {
            /**
             * @description A JWT that expires after `expires_in` seconds. Treat it as opaque.
             * @example eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * @description Expires after 30 days and works once.
             * @example q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp
             */
            refresh_token: string;
            /**
             * @description Always `Bearer`.
             * @enum {string}
             */
            token_type: "Bearer";
            /**
             * @description Lifetime of the access token, in seconds.
             * @example 900
             */
            expires_in: number;
            /**
             * @description The scopes of the tokens, separated by spaces.
             * @example assets:read locations:read
             */
            scope: string;
        };
        /** @description The body of every response with an error that is JSON. */
        Error: {
            error: components["schemas"]["ErrorDetails"];
        };
        /** @description One problem of the request, at a field or a parameter. */
        FieldError: {
            /**
             * @description JSON path, or name of the parameter.
             * @example tags[0].value
             */
            field: string;
            /**
             * @description Branch on this. Known values: `required`, `invalid_value`, `unknown_field`, `invalid_context`, `too_short`, `too_long`, `too_small`, `too_large`, `fk_not_found`, `ambiguous_fields`, `read_only`.
             * @example required
             */
            code: string;
            /**
             * @description For people. The text may change.
             * @example tags[0].value is required
             */
            message: string;
            /**
             * @description The violated constraint, if it has parameters.
             * @example {
             *       "max_length": 255
             *     }
             */
            params?: {
                [key: string]: unknown;
            };
        };
        /** @description What has the key or the tag. */
        ErrorConflict: {
            /**
             * @description What it is. Known values: `asset`, `location`.
             * @example asset
             */
            resource: string;
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
        };
        SignedUp: {
            /**
             * @description A JWT that expires after `expires_in` seconds. Treat it as opaque.
             * @example eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * @description Expires after 30 days and works once.
             * @example q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp
             */
            refresh_token: string;
            /**
             * @description Always `Bearer`.
             * @enum {string}
             */
            token_type: "Bearer";
            /**
             * @description Lifetime of the access token, in seconds.
             * @example 900
             */
            expires_in: number;
            user: components["schemas"]["User"];
            org: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                name: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T10:00:00.000Z
                 */
                created_at: string;
            };
            /** @enum {string} */
            mail: "sent" | "not configured" | "address not verified";
        };
        User: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            email: string;
            /** @example admin */
            role: string;
        };
        Session: {
            /**
             * @description A JWT that expires after `expires_in` seconds. Treat it as opaque.
             * @example eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * @description Expires after 30 days and works once.
             * @example q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp
             */
            refresh_token: string;
            /**
             * @description Always `Bearer`.
             * @enum {string}
             */
            token_type: "Bearer";
            /**
             * @description Lifetime of the access token, in seconds.
             * @example 900
             */
            expires_in: number;
            user: components["schemas"]["User"];
            org: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                name: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T10:00:00.000Z
                 */
                created_at: string;
            };
        };
        CurrentUser: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            email: string;
            email_verified: boolean;
            second_factor: boolean;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            org_id: number;
            orgs: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                name: string;
                /** @example admin */
                role: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T10:00:00.000Z
                 */
                created_at: string;
            }[];
        };
        SignedIn: {
            /**
             * Format: uuid
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             */
            id: string;
            org: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                name: string;
            };
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was last used. Null if never.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string;
            current: boolean;
        };
        ListedMember: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            email: string | null;
            /** @example admin */
            role: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            joined_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_signed_in_at: string | null;
        };
        Member: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            email: string;
            /** @example admin */
            role: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            joined_at: string;
        };
        Invitation: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            email: string;
            /** @example admin */
            role: string;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: int64
             * @description Null if the operator of the server invites.
             * @example 4503599627370497
             */
            created_by: number | null;
            created_by_name: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string;
            mail_failed: boolean;
        };
        InvitationCreated: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            email: string;
            /** @example admin */
            role: string;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: int64
             * @description Null if the operator of the server invites.
             * @example 4503599627370497
             */
            created_by: number | null;
            created_by_name: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string;
            mail_failed: boolean;
            token: string;
            /** @enum {string} */
            mail: "sent" | "not configured" | "address not verified";
        };
        Organization: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /** @example Europe/Berlin */
            timezone: string;
            retention_days: components["schemas"]["RetentionDays"];
        };
        /**
         * @example {
         *       "asset": null,
         *       "person": 30,
         *       "inventory": null
         *     }
         */
        RetentionDays: {
            /** @description The external key of the asset. */
            asset: number | null;
            person: number | null;
            inventory: number | null;
        };
        UpdatedOrganization: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /** @example Europe/Berlin */
            timezone?: string;
            retention_days?: components["schemas"]["RetentionDays"];
        };
        ResetLink: {
            token: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string;
        };
        MailSent: {
            /** @enum {string} */
            mail: "sent" | "not configured" | "address not verified";
        };
        InvitationDescription: {
            org: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                name: string;
            };
            email: string;
            /** @example admin */
            role: string;
            invited_by: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string;
        };
        /**
         * @example {
         *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
         *       "uri": "otpauth://totp/Whereabouts:ada%40example.com?issuer=Whereabouts&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30"
         *     }
         */
        TotpSecret: {
            secret: string;
            uri: string;
        };
        /**
         * @example {
         *       "recovery_codes": [
         *         "ABCD-EFGH-IJKL-MN23"
         *       ]
         *     }
         */
        RecoveryCodes: {
            recovery_codes: string[];
        };
        SignOnState: {
            enabled: boolean;
            required: boolean;
        };
        /** @description The organization and the scopes of the calling key. */
        CurrentOrganization: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends.
             * @example Acme Logistics
             */
            name: string;
            /**
             * @description What the key may do.
             * @example [
             *       "assets:read",
             *       "scans:read"
             *     ]
             */
            scopes: string[];
            /**
             * Format: uuid
             * @description The `jti` of the calling API key.
             */
            api_key_id: string;
        };
        /** @description An API key, without its secret. */
        ApiKey: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * Format: uuid
             * @description The UUID of the key, which its tokens and its client id name.
             */
            jti: string;
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends.
             * @example ERP connector
             */
            name: string;
            /**
             * @description What the key may do.
             * @example [
             *       "assets:read",
             *       "scans:read"
             *     ]
             */
            scopes: string[];
            /**
             * @description The only reader that the key may publish for. Null if it may publish for any reader.
             * @example null
             */
            reader_key: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: int64
             * @description The id of the user who created the key. Null if another key did.
             * @example 4503599627370497
             */
            created_by: number | null;
            /**
             * Format: int64
             * @description The id of the key that created this key. Null if a user did.
             * @example 4503599627370497
             */
            created_by_key_id: number | null;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was last used. Null if never.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_used_at: string | null;
        };
        /** @description A new API key with its secret, which no later response shows. */
        ApiKeyCreated: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * Format: uuid
             * @description The UUID of the key, which its tokens and its client id name.
             */
            jti: string;
            /**
             * Format: uuid
             * @description The `client_id` of the API key.
             */
            client_id: string;
            /**
             * @description Returned only once.
             * @example wb_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
             */
            client_secret: string;
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends.
             * @example ERP connector
             */
            name: string;
            /**
             * @description What the key may do.
             * @example [
             *       "assets:read",
             *       "scans:read"
             *     ]
             */
            scopes: string[];
            /**
             * @description The only reader that the key may publish for. Null if it may publish for any reader.
             * @example null
             */
            reader_key: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string | null;
        };
        ProvisioningLink: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            token: string;
            /**
             * Format: date-time
             * @description When the key stops working. Null: never.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string;
        };
        ReaderSettings: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            org_id: number;
            /** @description The only reader that the key may publish for. Null: any reader. */
            reader_key: string;
            /**
             * @description Known values: `canonical`, `impinj`, `zebra`, `csl`, `moko`, `minew`, `gl-s10`, `kkm`, `mapping`.
             * @example canonical
             */
            format: string;
            /**
             * Format: uuid
             * @description The `client_id` of the API key.
             */
            client_id: string;
            /** @description The secret of the API key. */
            client_secret: string;
        };
        /** @description How much of something an organization may store, and stores. */
        Limit: {
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends. Known values: `assets`, `locations`, `tags`, `stored_bytes`, `image_bytes`, `import_bytes`, `export_bytes`, `readers`, `scan_points`, `kept_messages`, `history_days`, `api_keys`.
             * @example assets
             */
            name: string;
            /**
             * @description Beyond it, what would add more answers 409.
             * @example 1000000
             */
            limit: number;
            /**
             * @description How much the organization stores now.
             * @example 512
             */
            used: number;
        };
        /** @description Changes, newest first. With `after`, the oldest first, with a cursor. */
        AuditPage: {
            /** @description The content of the response. */
            data: components["schemas"]["AuditRow"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit?: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset?: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count?: number;
            /**
             * @description With `after`: send it as the next `after`.
             * @example MTAwMSAxMjM
             */
            cursor?: string;
            /** @description With `after`: whether there are rows after the cursor. */
            has_more?: boolean;
        };
        /**
         * @description One change of one thing, a sign-in or an export.
         * @example {
         *       "id": "0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a",
         *       "at": "2026-11-21T08:30:00.000Z",
         *       "actor": {
         *         "type": "user",
         *         "id": 4503599627370496,
         *         "name": "Ada"
         *       },
         *       "action": "asset.update",
         *       "subject": {
         *         "type": "asset",
         *         "id": 4503599627370497,
         *         "external_key": "FORKLIFT-7"
         *       },
         *       "changes": {
         *         "name": {
         *           "from": "Forklift 7",
         *           "to": "Forklift 8"
         *         }
         *       },
         *       "ip": "203.0.113.7",
         *       "request_id": "01KAJ3ZQ6T9W2N4M8R5X7V1C0B"
         *     }
         */
        AuditRow: {
            /**
             * Format: uuid
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             */
            id: string;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-21T10:00:00.000Z
             */
            at: string;
            actor: components["schemas"]["AuditActor"];
            /** @description `<type>.create`, `.update`, `.delete` or `.restore`, or `session.fail`. */
            action: string;
            subject: components["schemas"]["AuditSubject"];
            /** @description From what to what, by field; what was empty or is gone is null. A secret has null for both. */
            changes: {
                [key: string]: {
                    from: unknown;
                    to: unknown;
                };
            };
            /** @description The address of the client. Null for operators. */
            ip: string | null;
            /** @description The `X-Request-Id` of the request. */
            request_id: string | null;
        };
        /**
         * @description Who made a change, named as then.
         * @example {
         *       "type": "user",
         *       "id": 4503599627370496,
         *       "name": "Ada"
         *     }
         */
        AuditActor: {
            /**
             * @description `user`, `key`, or `operator` of the installation. Known values: `user`, `key`, `operator`.
             * @example user
             */
            type: string;
            /**
             * Format: int64
             * @description The id of the user or the API key. Null for operators.
             * @example 4503599627370497
             */
            id: number | null;
            /** @description The name at that time. Null for operators. */
            name: string | null;
        };
        /**
         * @description The thing that was changed.
         * @example {
         *       "type": "asset",
         *       "id": 4503599627370497,
         *       "external_key": "FORKLIFT-7"
         *     }
         */
        AuditSubject: {
            /** @description For example `asset`, `reader` or `api_key`. */
            type: string;
            /**
             * Format: int64
             * @description The id, or null if it has none.
             * @example 4503599627370497
             */
            id: number | null;
            /** @description The external key at that time; of a session its UUID. */
            external_key: string | null;
        };
        /**
         * @example {
         *       "rows": 28800,
         *       "movements": 96
         *     }
         */
        ErasedHistory: {
            rows: number;
            /** @description Movements between the two places in the last 24 hours. */
            movements: number;
        };
        PlacementSettings: {
            /**
             * @description What becomes of a place where an asset was read last in a minute that has another one. Known values: `next_observation`, `carry`.
             * @example next_observation
             */
            passages: string;
            /** @description Reads of tags of these types are judged by their strength. */
            tag_types: string[];
            /** @description How much stronger another place must be, in dB. */
            margin_db: number;
            /** @description How long the strength of a place counts, at least a minute. */
            exit_delay_seconds: number;
            /** @description The strength of the weakest read that counts, in dBm. Null: any. */
            min_rssi_dbm: number | null;
        };
        PlacementPreview: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string | null;
            movements_now: number;
            movements_then: number;
            most_changed: {
                asset: {
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    id: number;
                    external_key: string;
                    name: string;
                };
                now: number;
                then: number;
            }[];
        };
        /**
         * @description What became of one item.
         * @example {
         *       "index": 0,
         *       "status": "failed",
         *       "id": null,
         *       "error": {
         *         "type": "conflict",
         *         "detail": "tag rfid:E28011606000020A1B2C3D4E already exists"
         *       }
         *     }
         */
        BatchResult: {
            /** @description The place of the item in `items`, from 0. */
            index: number;
            /**
             * @description What became of the item. Known values: `created`, `updated`, `unchanged`, `failed`.
             * @example created
             */
            status: string;
            /**
             * Format: int64
             * @description Null for what failed, and for what a dry run would create.
             * @example 4503599627370497
             */
            id: number | null;
            /** @description Why the item failed, or null. */
            error: components["schemas"]["BatchItemError"] | null;
        };
        /** @description Why an item failed. */
        BatchItemError: {
            /**
             * @description Branch on this. Known values: `validation_error`, `bad_request`, `unauthorized`, `forbidden`, `not_found`, `method_not_allowed`, `conflict`, `gone`, `precondition_failed`, `payload_too_large`, `unsupported_media_type`, `range_not_satisfiable`, `rate_limited`, `internal_error`, `service_unavailable`.
             * @example validation_error
             */
            type: string;
            /** @description For people. The text may change. */
            detail: string;
            /** @description Only on `validation_error`: one entry per problem, with paths within the item. */
            fields?: components["schemas"]["FieldError"][];
            /** @description Only on `conflict`: what has the key or the tag. */
            conflict?: components["schemas"]["ErrorConflict"];
        };
        LocationOfBranch: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive.
             * @example DOCK-1
             */
            external_key: string;
            /**
             * @description The name for people, on one line. Without control characters, and without white space at its ends.
             * @example Dock 1
             */
            name: string;
            /** @description Free text. Tab, CR and LF are allowed, other control characters are not. */
            description: string | null;
            /**
             * Format: int64
             * @description The id of the location that contains this one. Null for a root.
             * @example 4503599627370497
             */
            parent_id: number | null;
            /** @description The external key of the location that contains this one. Null for a root. */
            parent_external_key: string | null;
            /** @description A filter of lists. It hides nothing by itself. */
            is_active: boolean;
            /**
             * Format: date-time
             * @description Start of the validity. Lists omit the resource before it.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from: string;
            /**
             * Format: date-time
             * @description End of the validity. Lists omit the resource after it. Null: no end.
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the resource was last changed. Attaching and removing tags does not change it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the resource was deleted. Null if it is not deleted.
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at: string | null;
            /** @description The tags of the resource, at most 200. */
            tags: components["schemas"]["Tag"][];
            children_count: number;
        };
        AssetRestorePreview: {
            /** @description The tags of the resource, at most 200. */
            tags: components["schemas"]["TagToRestore"][];
            key_held_by: components["schemas"]["Holder"] | null;
            asset: components["schemas"]["Asset"];
        };
        TagToRestore: {
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type: string;
            /**
             * @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings.
             * @example 3074257BF7194E4000001A85
             */
            value: string;
            epc?: components["schemas"]["Epc"] | null;
            held_by: components["schemas"]["Holder"] | null;
        };
        Holder: {
            /**
             * @description Known values: `asset`, `location`.
             * @example asset
             */
            resource: string;
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        LostTag: {
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type: string;
            /**
             * @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings.
             * @example 3074257BF7194E4000001A85
             */
            value: string;
            epc?: components["schemas"]["Epc"] | null;
            held_by: components["schemas"]["Holder"];
        };
        LocationRestorePreview: {
            /** @description The tags of the resource, at most 200. */
            tags: components["schemas"]["TagToRestore"][];
            key_held_by: components["schemas"]["Holder"] | null;
            location: components["schemas"]["Location"];
            parent: components["schemas"]["ParentToRestore"] | null;
        };
        ParentToRestore: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * Format: date-time
             * @description When the resource was deleted. Null if it is not deleted.
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at: string | null;
        };
        LookupRow: {
            /** @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings. */
            value: string;
            matches: components["schemas"]["LookupMatch"][];
        };
        LookupMatch: {
            /**
             * @description The kind of asset. Known values: `asset`, `location`.
             * @example asset
             */
            type: string;
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            tag: {
                /**
                 * @description Known values: `rfid`, `ble`, `barcode`.
                 * @example rfid
                 */
                tag_type: string;
                /** @example 3074257BF7194E4000001A85 */
                value: string;
                epc?: components["schemas"]["Epc"] | null;
            } | null;
        };
        FloorPlan: {
            /** @example all */
            place: string;
            image: components["schemas"]["FloorImage"] | null;
            zones: components["schemas"]["ZoneOutput"][];
            readers: components["schemas"]["PlacedReaderOutput"][];
            version: number;
            /**
             * Format: date-time
             * @description When the resource was last changed. Attaching and removing tags does not change it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
        };
        FloorImage: {
            hash: string;
            /**
             * @description Known values: `image/png`, `image/jpeg`, `image/webp`, `image/svg+xml`.
             * @example image/png
             */
            media_type: string;
            width: number;
            height: number;
        };
        Floor: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            read_at: string;
            /** @description The two places. The second is where it was read last. */
            locations: {
                id: number[];
                external_key: string[];
                name: string[];
                parent: number[];
                here: number[];
                inside: number[];
            };
            /** @description Different assets among them. */
            assets: {
                id: number[];
                external_key: string[];
                name: string[];
                type: ("asset" | "person" | "inventory")[];
                location: number[];
                since: number[];
                seen: number[];
            };
            total_locations: number;
            /** @description Assets with a location. */
            total_assets: number;
        };
        ImportRow: {
            /** @example 2 */
            line: number;
            /**
             * @description `delivered` after a 2xx response, otherwise `failed`. Known values: `created`, `updated`, `unchanged`, `failed`.
             * @example created
             */
            outcome: string;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string | null;
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number | null;
            changes: string[];
            errors: components["schemas"]["ImportRowError"][];
            warnings: components["schemas"]["ImportRowWarning"][];
        };
        ImportRowError: {
            /** @example rfid */
            field: string;
            /**
             * @description Known values: `required`, `invalid_value`, `unknown_field`, `invalid_context`, `too_short`, `too_long`, `too_small`, `too_large`, `fk_not_found`, `ambiguous_fields`, `read_only`, `conflict`.
             * @example required
             */
            code: string;
            /**
             * @description For people. The text may change.
             * @example tag rfid:E28011606000020A1B2C3D4E already exists
             */
            message: string;
            params?: {
                [key: string]: unknown;
            };
        };
        ImportRowWarning: {
            /** @example barcode */
            field: string;
            /**
             * @description Known values: `spreadsheet_number`, `spreadsheet_error`, `unreadable_tag`, `invisible_character`.
             * @example spreadsheet_number
             */
            code: string;
            /**
             * @description For people. The text may change.
             * @example barcode "8.71432E+12" was rewritten by a spreadsheet
             */
            message: string;
        };
        /**
         * @description One stored scan of an asset.
         * @example {
         *       "event_observed_at": "2026-11-21T08:30:00.000Z",
         *       "location_id": 4503599627370513,
         *       "location_external_key": "DOCK-1",
         *       "duration_seconds": 86400
         *     }
         */
        HistoryRow: {
            /**
             * Format: date-time
             * @description When the asset was seen.
             * @example 2026-11-21T10:00:00.000Z
             */
            event_observed_at: string;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id: number | null;
            /** @description The external key of the location. Null where `location_id` is. */
            location_external_key: string | null;
            /** @description Seconds that the asset spent at the previous location before this scan. Null on the earliest row of the history. */
            duration_seconds: number | null;
            /** @description With `expand=asset`: the asset of the row. */
            asset?: components["schemas"]["ExpandedThing"] | null;
            /** @description With `expand=location`. Null if the row has none, or if it was deleted since. */
            location?: components["schemas"]["ExpandedThing"] | null;
        };
        /**
         * @description Where an asset was last seen, or was at the time `at`.
         * @example {
         *       "asset_id": 4503599627370497,
         *       "asset_external_key": "FORKLIFT-7",
         *       "location_id": 4503599627370513,
         *       "location_external_key": "DOCK-1",
         *       "asset_deleted_at": null,
         *       "asset_last_seen": "2026-11-21T10:00:00.000Z",
         *       "dwell_started_at": "2026-11-21T08:30:00.000Z",
         *       "dwell_seconds": 5400
         *     }
         */
        AssetLocation: {
            /**
             * Format: int64
             * @description The id of the asset.
             * @example 4503599627370497
             */
            asset_id: number;
            /** @description The external key of the asset. */
            asset_external_key: string;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id: number | null;
            /** @description The external key of the location. Null where `location_id` is. */
            location_external_key: string | null;
            /**
             * Format: date-time
             * @description When the asset was deleted. Null if it is not deleted.
             * @example 2026-11-21T10:00:00.000Z
             */
            asset_deleted_at: string | null;
            /**
             * Format: date-time
             * @description When the asset was last seen.
             * @example 2026-11-21T10:00:00.000Z
             */
            asset_last_seen: string;
            /**
             * Format: date-time
             * @description First scan of the current unbroken time at the location. Null with `at`, and without a location.
             * @example 2026-11-21T10:00:00.000Z
             */
            dwell_started_at: string | null;
            /** @description Seconds from `dwell_started_at` to `asset_last_seen`. Null where `dwell_started_at` is. */
            dwell_seconds: number | null;
            /** @description With `expand=asset`: the asset of the row. */
            asset?: components["schemas"]["ExpandedThing"] | null;
            /** @description With `expand=location`. Null if the row has none, or if it was deleted since. */
            location?: components["schemas"]["ExpandedThing"] | null;
            /** @description With `expand=home`: the home of the asset. Null if it has none, or if it was deleted since. */
            home_location?: components["schemas"]["ExpandedThing"] | null;
            /** @description With `expand=home`: whether the asset is at its home or below it. Null if it has no home or no location, or if either was deleted since. */
            is_home?: boolean | null;
        };
        /** @description Where one asset was last seen. */
        CurrentLocation: {
            /**
             * @description The external key of the asset.
             * @example FORKLIFT-7
             */
            asset: string;
            /**
             * @description The external key of the location.
             * @example DOCK-1
             */
            location: string;
            /**
             * Format: date-time
             * @description When the asset was last seen.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_seen: string;
        };
        Sighting: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            observed_at: string;
            /** @description The external key of the location. */
            location: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                external_key: string | null;
                name: string | null;
            } | null;
            /** @enum {string|null} */
            decided_by: "location_key" | "scan_point" | "save" | "outvoted" | null;
            location_key: string | null;
            tag: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                tag_type: string;
                /** @example 3074257BF7194E4000001A85 */
                value: string;
                epc?: components["schemas"]["Epc"] | null;
            } | null;
            reader: {
                reader_key: string;
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number | null;
                name: string | null;
            } | null;
            antenna: number | null;
            scan_point: {
                /**
                 * Format: int64
                 * @example 4503599627370497
                 */
                id: number;
                name: string;
                location: {
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    id: number;
                    external_key: string | null;
                    name: string | null;
                } | null;
            } | null;
            /** @description Of the minute of the row, the strongest first. */
            outvoted: {
                location: {
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    id: number;
                    external_key: string | null;
                    name: string | null;
                } | null;
                reader_key: string;
                rssi: number | null;
                reads: number;
            }[];
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            carried_from: string | null;
            /** @description Seconds that the asset spent at the previous location before this scan. Null on the earliest row of the history. */
            duration_seconds: number | null;
        };
        Occupancy: {
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id: number;
            here: number;
            inside: number;
        };
        /**
         * @description An asset whose place is unsteady, and what would have prevented it.
         * @example {
         *       "asset": {
         *         "id": 4503599627370497,
         *         "external_key": "FORKLIFT-7",
         *         "name": "Forklift 7"
         *       },
         *       "reason": "flapping",
         *       "locations": [
         *         {
         *           "id": 4503599627370513,
         *           "external_key": "DOCK-1",
         *           "name": "Dock 1"
         *         },
         *         {
         *           "id": 4503599627370529,
         *           "external_key": "SHELF-2",
         *           "name": "Shelf 2"
         *         }
         *       ],
         *       "movements": 12,
         *       "last_at": "2026-11-21T08:30:00.000Z",
         *       "setting": {
         *         "margin_db": 6,
         *         "exit_delay_seconds": 120
         *       }
         *     }
         */
        UnsteadyAssetRow: {
            asset: components["schemas"]["UnsteadyAsset"];
            /**
             * @description Went back and forth between two places, or was last read at another place than the one it is shown at. Known values: `flapping`, `waiting`.
             * @example flapping
             */
            reason: string;
            /** @description The two places. The second is where it was read last. */
            locations: components["schemas"]["MovedThing"][];
            /** @description Movements between the two places in the last 24 hours. */
            movements: number;
            /**
             * Format: date-time
             * @description When the asset last moved between the two places, or when the read that waits was made.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_at: string;
            setting: components["schemas"]["SuggestedSettings"];
        };
        /**
         * @description The asset as it is now.
         * @example {
         *       "id": 4503599627370497,
         *       "external_key": "FORKLIFT-7",
         *       "name": "Forklift 7"
         *     }
         */
        UnsteadyAsset: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        /**
         * @description An asset or a location as it is now.
         * @example {
         *       "id": 4503599627370497,
         *       "external_key": "FORKLIFT-7",
         *       "name": "Forklift 7"
         *     }
         */
        MovedThing: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description The external key. Null once it is deleted. */
            external_key: string | null;
            /** @description The name. Null once it is deleted. */
            name: string | null;
        };
        /**
         * @description Settings of positions, only those to change.
         * @example {
         *       "margin_db": 6,
         *       "exit_delay_seconds": 120
         *     }
         */
        SuggestedSettings: {
            /**
             * @description What becomes of a place where an asset was read last in a minute that has another one. Known values: `next_observation`, `carry`.
             * @example next_observation
             */
            passages?: string;
            /** @description Reads of tags of these types are judged by their strength. */
            tag_types?: string[];
            /** @description How much stronger another place must be, in dB. */
            margin_db?: number;
            /** @description How long the strength of a place counts, at least a minute. */
            exit_delay_seconds?: number;
            /** @description The strength of the weakest read that counts, in dBm. Null: any. */
            min_rssi_dbm?: number | null;
        };
        LocationUses: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            to: string;
            /** @description The two places. The second is where it was read last. */
            locations: components["schemas"]["LocationUse"][];
            /** @description There are more movements, and the time ends with the last counted. */
            is_cut: boolean;
        };
        LocationUse: {
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id: number;
            arrivals: number;
            /** @description Seconds from `dwell_started_at` to `asset_last_seen`. Null where `dwell_started_at` is. */
            dwell_seconds: number;
            /** @description The most assets that were there at the same time. */
            most_assets: number;
        };
        Playback: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            to: string;
            /** @description Different assets among them. */
            assets: number[];
            /** @description Of each of `assets`. */
            types: ("asset" | "person" | "inventory")[];
            /** @description The two places. The second is where it was read last. */
            locations: number[];
            start: {
                asset: number[];
                location: number[];
            };
            moves: {
                seconds: number[];
                asset: number[];
                location: number[];
            };
            /** @description There are more movements, or more assets, than this has. */
            is_cut: boolean;
        };
        /** @description A page of movements, newest first, and the cursor of the next page. */
        MovementPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Movement"][];
            /** @description Send it as `after` to get the next page. Null on the last page. */
            cursor: string | null;
            /** @description Whether there are older movements that match. */
            has_more: boolean;
        };
        /**
         * @description One change of the location of an asset.
         * @example {
         *       "occurred_at": "2026-11-21T08:30:00.000Z",
         *       "asset": {
         *         "id": 4503599627370497,
         *         "external_key": "FORKLIFT-7",
         *         "name": "Forklift 7"
         *       },
         *       "from_location": {
         *         "id": 4503599627370513,
         *         "external_key": "DOCK-1",
         *         "name": "Dock 1"
         *       },
         *       "to_location": {
         *         "id": 4503599627370529,
         *         "external_key": "SHELF-2",
         *         "name": "Shelf 2"
         *       },
         *       "dwell_seconds": 5400
         *     }
         */
        Movement: {
            /**
             * Format: date-time
             * @description When the asset was first seen at the new location.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            asset: components["schemas"]["MovedThing"];
            /** @description The location before. Null for the first location, and after a scan without a location. */
            from_location: components["schemas"]["MovedThing"] | null;
            to_location: components["schemas"]["MovedThing"];
            /** @description Whole seconds until the next movement of the asset. Null for its newest movement. */
            dwell_seconds: number | null;
        };
        MovementSummary: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            to: string;
            hours: components["schemas"]["HourOfMovements"][];
        };
        HourOfMovements: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            hour: string;
            moves: number;
            in?: number;
            out?: number;
            within?: number;
        };
        /** @description A page of visits, newest first, and the cursor of the next page. */
        VisitPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Visit"][];
            /** @description Send it as `after` to get the next page. Null on the last page. */
            cursor: string | null;
            /** @description Whether there may be older visits that match. */
            has_more: boolean;
        };
        /**
         * @description An unbroken stay of an asset at a location.
         * @example {
         *       "asset": {
         *         "id": 4503599627370497,
         *         "external_key": "FORKLIFT-7",
         *         "name": "Forklift 7"
         *       },
         *       "location": {
         *         "id": 4503599627370513,
         *         "external_key": "DOCK-1",
         *         "name": "Dock 1"
         *       },
         *       "started_at": "2026-11-21T08:30:00.000Z",
         *       "ended_at": "2026-11-21T10:00:00.000Z",
         *       "seconds": 5400,
         *       "last_seen_at": "2026-11-21T09:59:00.000Z",
         *       "ended_by": "moved"
         *     }
         */
        Visit: {
            asset: components["schemas"]["MovedThing"];
            location: components["schemas"]["MovedThing"];
            /**
             * Format: date-time
             * @description When the asset was first seen there.
             * @example 2026-11-21T10:00:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When the asset was seen elsewhere or without a location. Null while the visit is open.
             * @example 2026-11-21T10:00:00.000Z
             */
            ended_at: string | null;
            /** @description Whole seconds until `ended_at`, or until `last_seen_at` while the visit is open. */
            seconds: number;
            /**
             * Format: date-time
             * @description When the asset was last seen during the visit.
             * @example 2026-11-21T10:00:00.000Z
             */
            last_seen_at: string;
            /**
             * @description Seen elsewhere or without a location, or not seen for longer than `max_silence_seconds`. Null while the visit is open. Known values: `moved`, `silence`.
             * @example moved
             */
            ended_by: string | null;
        };
        /**
         * @description How many visits of a group there were, and how long.
         * @example {
         *       "group": {
         *         "id": 4503599627370513,
         *         "external_key": "DOCK-1",
         *         "name": "Dock 1"
         *       },
         *       "visits": 12,
         *       "assets": 7,
         *       "seconds_total": 64800,
         *       "seconds_median": 5400,
         *       "seconds_p95": 9000,
         *       "over_limit": 2
         *     }
         */
        VisitReportRow: {
            group: components["schemas"]["VisitGroup"];
            /** @description Visits, or parts of visits, in the time. */
            visits: number;
            /** @description Different assets among them. */
            assets: number;
            /** @description Seconds of all of them. */
            seconds_total: number;
            /** @description The median of their seconds, nearest rank. */
            seconds_median: number;
            /** @description The 95th percentile of their seconds, nearest rank. */
            seconds_p95: number;
            /** @description Visits longer than `limit_seconds`. Null without it. */
            over_limit: number | null;
        };
        /**
         * @description What visits are added up by: a location, an asset, a type of asset or a day.
         * @example {
         *       "id": 4503599627370513,
         *       "external_key": "DOCK-1",
         *       "name": "Dock 1"
         *     }
         */
        VisitGroup: {
            /**
             * Format: int64
             * @description Id of the location or asset. Null for a type of asset and a day.
             */
            id: number | null;
            /** @description The external key. Null for a type of asset and a day, and once it is deleted. */
            external_key: string | null;
            /** @description The name, null once it is deleted; or the type of asset; or the day, such as `2026-11-21`. */
            name: string | null;
        };
        /** @description An export of rows as files, and how far it is. */
        Export: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description Known values: `history`, `movements`, `assets`, `locations`.
             * @example history
             */
            dataset: string;
            /**
             * @description Known values: `csv`, `ndjson`, `parquet`.
             * @example csv
             */
            format: string;
            /**
             * Format: date-time
             * @description The first instant of the rows. Null for a dataset of now.
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string | null;
            /**
             * Format: date-time
             * @description The last instant of the rows. Null for a dataset of now.
             * @example 2026-11-21T10:00:00.000Z
             */
            to: string | null;
            /**
             * @description Known values: `queued`, `running`, `done`, `failed`.
             * @example queued
             */
            status: string;
            /**
             * @description The share of the days that are done, from 0 to 1.
             * @example 1
             */
            progress: number;
            /**
             * Format: int64
             * @description Rows of the files so far.
             * @example 1440
             */
            rows: number;
            /**
             * Format: int64
             * @description Bytes of the files so far.
             * @example 5120
             */
            bytes: number;
            /**
             * @description Of a failed export: what happened and what to do.
             * @example null
             */
            problem: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was done or failed. Null before that.
             * @example 2026-11-21T10:00:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When the export is removed with its files: 24 hours after it was done or failed. Null before that.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string | null;
        };
        /** @description An export and its files. */
        ExportDetail: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description Known values: `history`, `movements`, `assets`, `locations`.
             * @example history
             */
            dataset: string;
            /**
             * @description Known values: `csv`, `ndjson`, `parquet`.
             * @example csv
             */
            format: string;
            /**
             * Format: date-time
             * @description The first instant of the rows. Null for a dataset of now.
             * @example 2026-11-21T10:00:00.000Z
             */
            from: string | null;
            /**
             * Format: date-time
             * @description The last instant of the rows. Null for a dataset of now.
             * @example 2026-11-21T10:00:00.000Z
             */
            to: string | null;
            /**
             * @description Known values: `queued`, `running`, `done`, `failed`.
             * @example queued
             */
            status: string;
            /**
             * @description The share of the days that are done, from 0 to 1.
             * @example 1
             */
            progress: number;
            /**
             * Format: int64
             * @description Rows of the files so far.
             * @example 1440
             */
            rows: number;
            /**
             * Format: int64
             * @description Bytes of the files so far.
             * @example 5120
             */
            bytes: number;
            /**
             * @description Of a failed export: what happened and what to do.
             * @example null
             */
            problem: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was done or failed. Null before that.
             * @example 2026-11-21T10:00:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When the export is removed with its files: 24 hours after it was done or failed. Null before that.
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string | null;
            /** @description The files that are done, in the order of their days. A day without rows has none. */
            files: components["schemas"]["ExportFile"][];
        };
        /** @description One file of an export. */
        ExportFile: {
            /**
             * @description The name of the file.
             * @example history-2026-11-21.parquet
             */
            name: string;
            /**
             * Format: date
             * @description The day of its rows in UTC. Null for a dataset of now.
             * @example 2026-11-21
             */
            day: string | null;
            /**
             * Format: int64
             * @description Rows of the file.
             * @example 1440
             */
            rows: number;
            /**
             * Format: int64
             * @description Bytes of the file.
             * @example 5120
             */
            bytes: number;
            /**
             * @description The SHA-256 of the file, in hex.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description A link to the file, relative to the host of the API. It needs no credentials: who has it can read the file until the export is removed.
             * @example /api/v1/exports/4503599627370497/files/history-2026-11-21.parquet?signature=mK1b0v5sYyq3h1wqk0kq4m2Yx0o8o1o0bqkq1m2Yx0o
             */
            url: string;
        };
        /**
         * @description What an inventory save stored.
         * @example {
         *       "count": 2,
         *       "location_id": 4503599627370513,
         *       "location_name": "Dock 1",
         *       "timestamp": "2026-11-21T10:00:00.000Z"
         *     }
         */
        InventorySaved: {
            /** @description Number of saved assets. */
            count: number;
            /**
             * Format: int64
             * @description The id of the location.
             * @example 4503599627370497
             */
            location_id: number;
            /** @description The name of the location. */
            location_name: string;
            /**
             * Format: date-time
             * @description When the save happened.
             * @example 2026-11-21T10:00:00.000Z
             */
            timestamp: string;
        };
        /**
         * @description What to tell, and of what.
         * @example {
         *       "id": 4503599627370500,
         *       "name": "Pallets that stay in Receiving",
         *       "kind": "stayed_longer_than",
         *       "enabled": true,
         *       "severity": "warning",
         *       "scope": {
         *         "asset_ids": [],
         *         "asset_types": [
         *           "inventory"
         *         ],
         *         "metadata": {},
         *         "location_ids": [
         *           4503599627370498
         *         ],
         *         "include_descendants": true,
         *         "reader_ids": []
         *       },
         *       "params": {
         *         "seconds": 14400
         *       },
         *       "for_seconds": 0,
         *       "schedule": {
         *         "days": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ],
         *         "from": "06:00",
         *         "to": "22:00"
         *       },
         *       "notify": {
         *         "event": true,
         *         "email": [
         *           "admins"
         *         ],
         *         "chat": [],
         *         "remind_minutes": null
         *       },
         *       "problem": null,
         *       "open_alerts": 2,
         *       "created_at": "2026-11-21T10:00:00.000Z",
         *       "updated_at": "2026-11-21T10:00:00.000Z"
         *     }
         */
        Rule: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description What people call the rule.
             * @example Pallets that stay in Receiving
             */
            name: string;
            /**
             * @description Known values: `entered`, `left`, `not_seen_for`, `stayed_longer_than`, `missing_at`, `away_from_home`, `reader_silent`.
             * @example entered
             */
            kind: string;
            /**
             * @description Whether it raises alerts. Default: true.
             * @example true
             */
            enabled: boolean;
            /**
             * @description Known values: `info`, `warning`, `critical`.
             * @example info
             */
            severity: string;
            scope: components["schemas"]["RuleScope"];
            params: components["schemas"]["RuleParams"];
            /**
             * @description How long the condition must hold without a break. Default: 0.
             * @example 0
             */
            for_seconds: number;
            /** @description When alerts are raised. Null: at any time. What is true when the window opens is raised then. */
            schedule: components["schemas"]["RuleSchedule"] | null;
            notify: components["schemas"]["RuleNotify"];
            /**
             * @description Why the rule does not do all that it should; null if it does. Known values: `scope_empty`, `too_many`, `notify_failed`.
             * @example scope_empty
             */
            problem: string | null;
            /**
             * @description Alerts that are not resolved.
             * @example 2
             */
            open_alerts: number;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the resource was last changed. Attaching and removing tags does not change it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
        };
        /** @description An empty list sets no condition. An id that was deleted stays, and matches nothing. */
        RuleScope: {
            /** @description Assets. An empty list means any. A deleted asset matches nothing. */
            asset_ids: number[];
            /** @description Types of assets. An empty list means any. */
            asset_types: string[];
            metadata: components["schemas"]["Metadata"];
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids: number[];
            /** @description Whether what is in these locations counts too. Default: true. */
            include_descendants: boolean;
            /** @description Readers, for `reader_silent` alone. An empty list means any. */
            reader_ids: number[];
        };
        /** @description The times of a rule, by its kind. */
        RuleParams: {
            /**
             * @description Of `stayed_longer_than` and `not_seen_for`; of `reader_silent`, instead of the usual pauses of the reader.
             * @example 14400
             */
            seconds?: number;
            /**
             * @description Of `missing_at`, in the time zone of the organization.
             * @example 08:00
             */
            time?: string;
            /**
             * @description Of `entered` and `left`: the alert is resolved after so long. Without it, by the opposite alone.
             * @example 3600
             */
            resolve_after_seconds?: number;
        };
        /**
         * @description When alerts are raised, in the time zone of the organization. `days`: those on which the window begins, 1 is Monday. It ends on the next day if `to` is earlier.
         * @example {
         *       "days": [
         *         1,
         *         2,
         *         3,
         *         4,
         *         5
         *       ],
         *       "from": "06:00",
         *       "to": "22:00"
         *     }
         */
        RuleSchedule: {
            /**
             * @description Days on which the window begins: 1 is Monday.
             * @example [
             *       1,
             *       2,
             *       3,
             *       4,
             *       5
             *     ]
             */
            days: number[];
            /**
             * @description When it begins, in the time zone of the organization.
             * @example 06:00
             */
            from: string;
            /**
             * @description When it ends: on the next day if it is earlier than `from`.
             * @example 22:00
             */
            to: string;
        };
        /**
         * @description How people and programs hear of an alert.
         * @example {
         *       "event": true,
         *       "email": [
         *         "admins"
         *       ],
         *       "chat": [],
         *       "remind_minutes": null
         *     }
         */
        RuleNotify: {
            /**
             * @description Whether `alert.raised` and `alert.resolved` are sent. Default: true.
             * @example true
             */
            event: boolean;
            /**
             * @description Who gets a mail: verified addresses of members, and `admins` for all administrators. The first alert is mailed at once, further ones together after five minutes, in at most 20 mails a day and rule.
             * @example [
             *       "admins"
             *     ]
             */
            email: string[];
            /** @description Channels that get the same. Their addresses are secrets: they are shown without their path. */
            chat: components["schemas"]["RuleChat"][];
            /**
             * @description How often to tell again of alerts that nobody has acknowledged. Null: never.
             * @example 60
             */
            remind_minutes: number | null;
        };
        /** @description A channel that is told. */
        RuleChat: {
            /**
             * @description The program of the channel. `generic` gets JSON. Known values: `slack`, `teams`, `google_chat`, `generic`.
             * @example slack
             */
            kind: string;
            /**
             * @description The https address that takes messages. One that is sent back as it is shown stays as it is.
             * @example https://hooks.example.com/…x7Qz
             */
            url: string;
        };
        /**
         * @description What became of a test message to all that a rule tells.
         * @example {
         *       "email": [
         *         {
         *           "to": "ada@example.com",
         *           "mail": "sent"
         *         }
         *       ],
         *       "chat": [
         *         {
         *           "kind": "slack",
         *           "status_code": 200,
         *           "error": null
         *         }
         *       ]
         *     }
         */
        RuleTest: {
            /** @description The mails, one to each person. */
            email: components["schemas"]["RuleTestMail"][];
            /** @description The channels, in their order. */
            chat: components["schemas"]["RuleTestChat"][];
        };
        /** @description A test message to one address. */
        RuleTestMail: {
            /**
             * @description The address.
             * @example ada@example.com
             */
            to: string;
            /**
             * @description `sent`: handed to the mail server. `address not verified`: not, or no longer, the verified address of a member. Known values: `sent`, `not configured`, `address not verified`.
             * @example sent
             */
            mail: string;
        };
        /** @description A test message to one channel. */
        RuleTestChat: {
            /**
             * @description The program of the channel. `generic` gets JSON. Known values: `slack`, `teams`, `google_chat`, `generic`.
             * @example slack
             */
            kind: string;
            /**
             * @description What the channel answered. Null if it did not.
             * @example 200
             */
            status_code: number | null;
            /**
             * @description What went wrong; null if it was taken.
             * @example null
             */
            error: string | null;
        };
        /**
         * @description What a rule would raise now, and would have raised.
         * @example {
         *       "now": {
         *         "count": 1,
         *         "subjects": [
         *           {
         *             "type": "asset",
         *             "id": 4503599627370497,
         *             "external_key": "PALLET-7",
         *             "name": "Pallet 7"
         *           }
         *         ]
         *       },
         *       "past": {
         *         "count": 1,
         *         "alerts": [
         *           {
         *             "subject": {
         *               "type": "asset",
         *               "id": 4503599627370497,
         *               "external_key": "PALLET-7",
         *               "name": "Pallet 7"
         *             },
         *             "location": {
         *               "id": 4503599627370498,
         *               "external_key": "RECEIVING",
         *               "name": "Receiving"
         *             },
         *             "raised_at": "2026-11-21T14:00:00.000Z",
         *             "resolved_at": null,
         *             "resolved_because": null
         *           }
         *         ]
         *       }
         *     }
         */
        RulePreview: {
            now: components["schemas"]["RulePreviewNow"];
            /** @description Null for `reader_silent`, of which no past is kept. */
            past: components["schemas"]["RulePreviewPast"] | null;
        };
        /** @description What is true now. */
        RulePreviewNow: {
            /** @description What is true now, and would be raised at once. */
            count: number;
            /** @description Up to 50 of them. */
            subjects: components["schemas"]["AlertSubject"][];
        };
        /** @description What would have been raised. */
        RulePreviewPast: {
            /** @description Alerts that would have been raised. */
            count: number;
            /** @description The 100 newest. */
            alerts: components["schemas"]["PreviewedAlert"][];
        };
        /** @description An alert that would have been raised. */
        PreviewedAlert: {
            subject: components["schemas"]["AlertSubject"];
            /** @description The external key of the location. */
            location: components["schemas"]["AlertLocation"] | null;
            /**
             * Format: date-time
             * @description When the condition had held for `for_seconds`.
             * @example 2026-11-21T10:00:00.000Z
             */
            raised_at: string;
            /**
             * Format: date-time
             * @description When it was over. Null if it was not until `to`.
             * @example 2026-11-21T10:00:00.000Z
             */
            resolved_at: string | null;
            /**
             * @description Why it was over.
             * @example condition
             */
            resolved_because: string | null;
        };
        /** @description How many alerts were acknowledged. */
        AcknowledgedAlerts: {
            /**
             * @description Alerts that were open.
             * @example 1
             */
            count: number;
        };
        ListedReader: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number | null;
            /** @description The only reader that the key may publish for. Null: any reader. */
            reader_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string | null;
            format: string | null;
            timezone: string | null;
            /**
             * @description Known values: `reader`, `receipt`.
             * @example reader
             */
            time_source: string;
            configured: boolean;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string | null;
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids: number[];
            health: components["schemas"]["ReaderHealth"];
        };
        ReaderHealth: {
            /**
             * @description Known values: `online`, `degraded`, `silent`, `never_heard`.
             * @example online
             */
            status: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_seen_at: string | null;
            identity: string | null;
            messages: number;
            reads: number;
            reads_per_minute: number;
            reads_unknown_tag: number;
            reads_unplaced: number;
            reads_clock_skewed: number;
            reads_late: number;
            reads_too_weak: number;
            reads_outvoted: number;
            reads_lost: number;
            read_errors: number;
            messages_buried: number;
            messages_over_rate: number;
            clock_offset_ms: number | null;
            /**
             * @description Known values: `ok`, `behind`, `ahead`, `unset`.
             * @example ok
             */
            clock: string;
            replaced: {
                from: string;
                to: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T10:00:00.000Z
                 */
                at: string;
            } | null;
            two_devices: {
                identities: string[];
                /**
                 * Format: date-time
                 * @example 2026-11-21T10:00:00.000Z
                 */
                at: string;
            } | null;
            last_problem: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_problem_at: string | null;
            last_problem_message: string | null;
            messages_last_hour: number;
            problems_last_hour: number;
            reads_last_hour: number;
            reads_by_hour: number[];
            device: components["schemas"]["DeviceReport"][];
        };
        DeviceReport: {
            kind: string;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-21T10:00:00.000Z
             */
            at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            received_at: string;
            detail: {
                [key: string]: unknown;
            };
        };
        Reader: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number | null;
            /** @description The only reader that the key may publish for. Null: any reader. */
            reader_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string | null;
            format: string | null;
            timezone: string | null;
            /**
             * @description Known values: `reader`, `receipt`.
             * @example reader
             */
            time_source: string;
            mapping: components["schemas"]["ReaderMapping"] | null;
            configured: boolean;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string | null;
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids: number[];
            health: components["schemas"]["ReaderHealth"];
        };
        ReaderMapping: {
            /** @example /tags */
            reads: string;
            /** @example /id */
            beacon?: string | components["schemas"]["ReaderMappingBeacon"];
            /** @example /epc */
            tag?: string;
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type?: string;
            /**
             * @description Known values: `hex`, `base64url`, `mac`, `text`.
             * @example hex
             */
            tag_format?: string;
            /** @example /epc */
            antenna?: string;
            /**
             * @description The external key of the location.
             * @example /epc
             */
            location?: string;
            /**
             * @description How many events these are.
             * @example /epc
             */
            count?: string;
            /** @example /epc */
            rssi?: string;
            /**
             * @description Known values: `dBm`, `dBm/10`, `dBm/100`.
             * @example dBm
             */
            rssi_unit?: string;
            /** @example /epc */
            time?: string;
            /**
             * @description Known values: `iso`, `epoch`, `epoch_s`, `epoch_ms`, `epoch_us`, `local`.
             * @example iso
             */
            time_format?: string;
            /** @example /epc */
            zone?: string;
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @example /epc
             */
            event?: string;
            read_events?: (string | number | boolean)[];
            heartbeat_events?: (string | number | boolean)[];
            /** @example /epc */
            identity?: string;
            also?: components["schemas"]["ReaderMappingPart"][];
        };
        /**
         * @example {
         *       "uuid": "/uuid",
         *       "major": "/major",
         *       "minor": "/minor"
         *     }
         */
        ReaderMappingBeacon: {
            /** @example /epc */
            uuid?: string;
            /** @example /epc */
            major?: string;
            /** @example /epc */
            minor?: string;
            /**
             * @description Known values: `decimal`, `hex`.
             * @example decimal
             */
            number_format?: string;
            /** @example /epc */
            manufacturer_data?: string;
        };
        ReaderMappingPart: {
            /** @example /tags */
            reads: string;
            /** @example /id */
            beacon?: string | components["schemas"]["ReaderMappingBeacon"];
            /** @example /epc */
            tag?: string;
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type?: string;
            /**
             * @description Known values: `hex`, `base64url`, `mac`, `text`.
             * @example hex
             */
            tag_format?: string;
            /** @example /epc */
            antenna?: string;
            /**
             * @description The external key of the location.
             * @example /epc
             */
            location?: string;
            /**
             * @description How many events these are.
             * @example /epc
             */
            count?: string;
            /** @example /epc */
            rssi?: string;
            /**
             * @description Known values: `dBm`, `dBm/10`, `dBm/100`.
             * @example dBm
             */
            rssi_unit?: string;
            /** @example /epc */
            time?: string;
            /**
             * @description Known values: `iso`, `epoch`, `epoch_s`, `epoch_ms`, `epoch_us`, `local`.
             * @example iso
             */
            time_format?: string;
            /** @example /epc */
            zone?: string;
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @example /epc
             */
            event?: string;
            read_events?: (string | number | boolean)[];
            heartbeat_events?: (string | number | boolean)[];
        };
        ReaderHour: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            hour: string;
            messages: number;
            /** @description What was not understood, and mistakes in the settings of the device. */
            problems: number;
            reads: number;
            mean_rssi_dbm: number | null;
            clock_offset_ms: number | null;
            antennas: {
                antenna: number | null;
                reads: number;
                mean_rssi_dbm: number | null;
            }[];
        };
        ScanPoint: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            antenna: number;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id: number | null;
            /** @description The external key of the location. Null where `location_id` is. */
            location_external_key: string | null;
            /** @description The strength of the weakest read that counts, in dBm. Null: any. */
            min_rssi_dbm: number | null;
            rssi_offset_db: number;
        };
        /** @description A message of a reader that was not understood, or only in part. */
        ReaderMessage: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * Format: date-time
             * @description When the message came, or when the broker last reported that a device used the key.
             * @example 2026-11-21T10:00:00.000Z
             */
            received_at: string;
            /**
             * @description Known values: `nats`, `mqtt`, `https`, `broker`.
             * @example nats
             */
            via: string;
            /**
             * @description The topic as a NATS subject. Empty where `via` is `broker`: nobody knows it.
             * @example scans.42.dock-1.canonical
             */
            subject: string;
            /** @description The size of the message in bytes. */
            size: number;
            /**
             * @description The first 8 KiB as text. Control characters are made visible.
             * @example {"reads":[{}]}
             */
            head: string;
            /** @description What was not understood, and mistakes in the settings of the device. */
            problems: components["schemas"]["ReaderMessageProblem"][];
        };
        /** @description What is wrong, where in the message, and what to do. */
        ReaderMessageProblem: {
            /**
             * @description The place in the message, a JSON pointer. Empty for the whole message.
             * @example /reads/0/tag
             */
            pointer: string;
            /**
             * @description What is wrong. More codes may come.
             * @example missing_tag
             */
            code: string;
            /**
             * @description What is wrong and what to do, for people.
             * @example There is no tag here, so the read is ignored.
             */
            detail: string;
        };
        /** @description What would become of a message. */
        DecodedMessage: {
            /** @description The reads of the message, the first 1 000. */
            reads: components["schemas"]["DecodedRead"][];
            /** @description What was not understood, and mistakes in the settings of the device. */
            problems: components["schemas"]["ReaderMessageProblem"][];
        };
        /**
         * @description What would become of a read of a message.
         * @example {
         *       "tag": {
         *         "tag_type": "rfid",
         *         "value": "E28011606000020A1B2C3D4E"
         *       },
         *       "antenna": 1,
         *       "location_key": null,
         *       "read_at": "2026-11-21T10:00:00.000Z",
         *       "rssi": -52,
         *       "asset": {
         *         "id": 4503599627370497,
         *         "external_key": "PUMP-17",
         *         "name": "Pump 17"
         *       },
         *       "location": {
         *         "id": 4503599627370499,
         *         "external_key": "DOCK-1",
         *         "name": "Dock 1"
         *       },
         *       "outcome": "scan"
         *     }
         */
        DecodedRead: {
            tag: components["schemas"]["ReadTag"];
            /** @description The identity of an iBeacon, by which its tag is found too. Absent if there is none. */
            ibeacon?: string;
            /** @description The antenna of the read. Null for one that cannot be. */
            antenna: number | null;
            /** @description The location that the device names. Null: the antenna decides. */
            location_key: string | null;
            /**
             * Format: date-time
             * @description When the tag was read, as the device says. Null if it does not say.
             * @example 2026-11-21T10:00:00.000Z
             */
            read_at: string | null;
            /** @description The strength of the signal in dBm. Null if unknown. */
            rssi: number | null;
            /** @description The external key of the asset. */
            asset: components["schemas"]["ReadOwner"] | null;
            /** @description The external key of the location. */
            location: components["schemas"]["ReadOwner"] | null;
            /**
             * @description `scan` and `no_location` are rows of history. The others are none, and say why. Known values: `scan`, `no_location`, `unknown_tag`, `no_scan_point`, `unknown_location`, `too_weak`.
             * @example scan
             */
            outcome: string;
        };
        /** @description The tag of a read. */
        ReadTag: {
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type: string;
            /**
             * @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings.
             * @example E28011606000020A1B2C3D4E
             */
            value: string;
        };
        /** @description The asset or the location of a read. Null: none. */
        ReadOwner: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Your key for the resource, unique among its kind. Letters, digits and hyphens; case-sensitive. */
            external_key: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
        };
        ReaderPreset: {
            /** @description Opaque and permanent. Never reused, and unique across all kinds of resource. */
            id: string;
            /** @description The name for people, on one line. Without control characters, and without white space at its ends. */
            name: string;
            devices: string;
            source: string;
            topic?: string;
            mapping: components["schemas"]["ReaderMapping"];
        };
        /**
         * @example {
         *       "published_at": "2026-11-21T10:00:00.000Z"
         *     }
         */
        TestReadSent: {
            /**
             * Format: date-time
             * @description When the broker had stored the message.
             * @example 2026-11-21T10:00:00.000Z
             */
            published_at: string;
        };
        UnknownTag: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type: string;
            /** @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings. */
            value: string;
            epc?: components["schemas"]["Epc"] | null;
            ibeacon: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_seen_at: string;
            reads: number;
            /** @description The only reader that the key may publish for. Null: any reader. */
            reader_key: string;
            antenna: number;
            rssi_dbm: number | null;
        };
        ClaimedTag: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /**
             * @description The technology of the tag. Known values: `rfid`, `ble`, `barcode`.
             * @example rfid
             */
            tag_type: string;
            /**
             * @description What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings.
             * @example 3074257BF7194E4000001A85
             */
            value: string;
            epc?: components["schemas"]["Epc"] | null;
            /**
             * Format: int64
             * @description The id of the asset.
             * @example 4503599627370497
             */
            asset_id: number | null;
            /** @description The external key of the asset. */
            asset_external_key: string | null;
            /**
             * Format: int64
             * @description The id of the location. Null if the asset was seen at no location, or at one that was deleted since.
             * @example 4503599627370497
             */
            location_id: number | null;
            /** @description The external key of the location. Null where `location_id` is. */
            location_external_key: string | null;
        };
        /** @description Events in the order in which they were recorded, and where to go on. */
        EventPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Event"][];
            /**
             * @description Send it as `after` to get what follows. It is there without events too.
             * @example MTAwMS4xMjM
             */
            cursor: string;
            /** @description Whether more events are recorded already. */
            has_more: boolean;
        };
        /**
         * @description One thing that happened.
         * @example {
         *       "id": "0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a",
         *       "type": "asset.deleted",
         *       "occurred_at": "2026-11-21T08:30:00.000Z",
         *       "recorded_at": "2026-11-21T08:30:00.120Z",
         *       "data": {
         *         "asset": {
         *           "id": 4503599627370497,
         *           "external_key": "FORKLIFT-7",
         *           "name": "Forklift 7"
         *         }
         *       }
         *     }
         */
        Event: {
            /**
             * Format: uuid
             * @description Of a movement: the `delivery_id` of its webhook.
             */
            id: string;
            /**
             * @description The kind of asset. Known values: `asset.moved`, `asset.created`, `asset.updated`, `asset.deleted`, `location.created`, `location.updated`, `location.deleted`, `tag.attached`, `tag.detached`, `reader.silent`, `reader.online`, `alert.raised`, `alert.resolved`, `import.finished`, `webhook.failing`, `webhook.recovered`, `webhook.disabled`.
             * @example asset.moved
             */
            type: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the feed recorded it. It never goes back from one event to the next.
             * @example 2026-11-21T10:00:00.000Z
             */
            recorded_at: string;
            /** @description What happened, by `type`: see the guide. */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Where events of the organization are sent.
         * @example {
         *       "id": 4503599627370497,
         *       "url": "https://receiver.example/whereabouts",
         *       "enabled": true,
         *       "secret": "whsec_…9e77",
         *       "event_types": [
         *         "asset.moved"
         *       ],
         *       "retry": "standard",
         *       "filter": {
         *         "asset_types": [
         *           "asset"
         *         ],
         *         "location_ids": [
         *           4503599627370498
         *         ],
         *         "include_descendants": true
         *       },
         *       "primary": true,
         *       "health": "ok",
         *       "disabled_because": null,
         *       "created_at": "2026-11-21T10:00:00.000Z",
         *       "updated_at": "2026-11-21T10:00:00.000Z"
         *     }
         */
        Webhook: {
            /**
             * Format: int64
             * @description Opaque and permanent. Never reused, and unique across all kinds of resource.
             * @example 4503599627370497
             */
            id: number;
            /** @description Where events are sent, by `https`. */
            url: string;
            /** @description Whether events are sent. While it is false, they are dropped. */
            enabled: boolean;
            /** @description Complete at creation and rotation. Otherwise masked except for its last four characters. */
            secret: string;
            /** @description The events that are sent. */
            event_types: string[];
            /**
             * @description `standard`: three attempts within about 7 seconds. `extended`: over 72 hours, and the events of one thing in order. Known values: `standard`, `extended`.
             * @example standard
             */
            retry: string;
            /** @description Which assets and locations events must be about. Null: any. */
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description Whether it is the webhook of `/webhooks`. */
            primary: boolean;
            /**
             * @description `failing`: no success for 15 minutes and three attempts. `disabled`: `enabled` is false. Known values: `ok`, `failing`, `disabled`.
             * @example ok
             */
            health: string;
            /**
             * @description Why deliveries were switched off without you: with `retry: "extended"`, after five days of failures. Otherwise null. Known values: `failing`.
             * @example failing
             */
            disabled_because: string | null;
            /**
             * Format: date-time
             * @description When the resource was created.
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the resource was last changed. Attaching and removing tags does not change it.
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
        };
        /** @description Which assets and locations events must be about. It concerns only types that have that thing. */
        WebhookFilter: {
            /** @description Types of assets. An empty list means any. */
            asset_types: string[];
            /** @description Locations; of a move, either end. An empty list means any. A deleted location matches nothing. */
            location_ids: number[];
            /** @description Whether sub-locations of these locations count. */
            include_descendants: boolean;
        };
        /** @description What the receiver of a test event answered. */
        WebhookTest: {
            /** @description Null if the receiver sent no complete response. */
            status_code: number | null;
            /** @description Null after a 2xx response. */
            error: string | null;
        };
        /** @description One attempt to deliver an event. */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /** @description The number of the attempt, from 1. */
            attempt: number;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-21T10:00:00.000Z
             */
            attempted_at: string;
            /**
             * @description `delivered` after a 2xx response, otherwise `failed`.
             * @example delivered
             */
            outcome: string;
            /** @description The status of the response. Null if there was no complete response. */
            status_code: number | null;
            /** @description How long the attempt took, in milliseconds. */
            latency_ms: number;
            /**
             * @description Null after a 2xx response.
             * @example answered 500
             */
            error: string | null;
            /** @description True for a test event, which reports no actual movement. */
            test: boolean;
        };
        /**
         * @description How many events are sent again.
         * @example {
         *       "count": 12,
         *       "oldest_occurred_at": "2026-11-21T08:30:00.000Z"
         *     }
         */
        Replay: {
            /** @description How many events these are. */
            count: number;
            /**
             * Format: date-time
             * @description When the oldest of them happened. Null if there are none.
             * @example 2026-11-21T10:00:00.000Z
             */
            oldest_occurred_at: string | null;
        };
        /** @description Deliveries, the newest event first, and where to go on. */
        EndpointDeliveryPage: {
            /** @description The content of the response. */
            data: components["schemas"]["EndpointDelivery"][];
            /** @description Send it as `after` to get the next page. Null on the last page. */
            cursor: string | null;
            /** @description Whether there are older events that match. */
            has_more: boolean;
        };
        /**
         * @description An event, and what became of it at an endpoint.
         * @example {
         *       "delivery_id": "5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77",
         *       "type": "asset.moved",
         *       "occurred_at": "2026-11-21T08:30:00.000Z",
         *       "state": "failed",
         *       "next_attempt_at": null,
         *       "last": {
         *         "at": "2026-11-21T08:30:01.000Z",
         *         "status_code": 500,
         *         "error": "answered 500",
         *         "latency_ms": 84
         *       },
         *       "attempts": 3
         *     }
         */
        EndpointDelivery: {
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * @description The type of the event. Known values: `asset.moved`, `asset.created`, `asset.updated`, `asset.deleted`, `location.created`, `location.updated`, `location.deleted`, `tag.attached`, `tag.detached`, `reader.silent`, `reader.online`, `alert.raised`, `alert.resolved`, `import.finished`, `webhook.failing`, `webhook.recovered`, `webhook.disabled`.
             * @example asset.moved
             */
            type: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            /**
             * @description `failed`: all attempts were used. `dropped`: the endpoint was off, or its filter left the event out. Known values: `waiting`, `delivered`, `failed`, `dropped`.
             * @example waiting
             */
            state: string;
            /**
             * Format: date-time
             * @description When the next attempt is due. Null unless it waits, and while it waits for an earlier event of the same thing.
             * @example 2026-11-21T10:00:00.000Z
             */
            next_attempt_at: string | null;
            /** @description The last attempt. Null if there was none. */
            last: components["schemas"]["DeliveryAttempt"] | null;
            /** @description Attempts since it was last sent again, or since the first one. */
            attempts: number;
        };
        /**
         * @description One attempt of a delivery.
         * @example {
         *       "at": "2026-11-21T08:30:01.000Z",
         *       "status_code": 500,
         *       "error": "answered 500",
         *       "latency_ms": 84
         *     }
         */
        DeliveryAttempt: {
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-21T10:00:00.000Z
             */
            at: string;
            /** @description The status of the response. Null if there was no complete response. */
            status_code: number | null;
            /**
             * @description Null after a 2xx response.
             * @example answered 500
             */
            error: string | null;
            /** @description How long the attempt took, in milliseconds. */
            latency_ms: number;
        };
        /**
         * @description A delivery with what is sent and all attempts.
         * @example {
         *       "delivery_id": "5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77",
         *       "type": "asset.moved",
         *       "occurred_at": "2026-11-21T08:30:00.000Z",
         *       "state": "failed",
         *       "next_attempt_at": null,
         *       "last": {
         *         "at": "2026-11-21T08:30:01.000Z",
         *         "status_code": 500,
         *         "error": "answered 500",
         *         "latency_ms": 84
         *       },
         *       "body": {
         *         "event": "asset.moved"
         *       },
         *       "attempts": [
         *         {
         *           "at": "2026-11-21T08:30:01.000Z",
         *           "status_code": 500,
         *           "error": "answered 500",
         *           "latency_ms": 84
         *         }
         *       ]
         *     }
         */
        EndpointDeliveryDetail: {
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * @description The type of the event. Known values: `asset.moved`, `asset.created`, `asset.updated`, `asset.deleted`, `location.created`, `location.updated`, `location.deleted`, `tag.attached`, `tag.detached`, `reader.silent`, `reader.online`, `alert.raised`, `alert.resolved`, `import.finished`, `webhook.failing`, `webhook.recovered`, `webhook.disabled`.
             * @example asset.moved
             */
            type: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            /**
             * @description `failed`: all attempts were used. `dropped`: the endpoint was off, or its filter left the event out. Known values: `waiting`, `delivered`, `failed`, `dropped`.
             * @example waiting
             */
            state: string;
            /**
             * Format: date-time
             * @description When the next attempt is due. Null unless it waits, and while it waits for an earlier event of the same thing.
             * @example 2026-11-21T10:00:00.000Z
             */
            next_attempt_at: string | null;
            /** @description The last attempt. Null if there was none. */
            last: components["schemas"]["DeliveryAttempt"] | null;
            /**
             * @description What is sent. Null once the event is no longer kept.
             * @example {
             *       "event": "asset.moved"
             *     }
             */
            body: {
                [key: string]: unknown;
            } | null;
            /** @description All attempts, oldest first; before it was sent again, the last 100. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        ZoneOutput: {
            /**
             * Format: int64
             * @description The id of the location.
             * @example 4503599627370497
             */
            location_id: number;
            points: (number)[][];
        };
        PlacedReaderOutput: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            reader_id: number;
            x: number;
            y: number;
        };
        /** @description The body of the event `asset.moved`. */
        AssetMovedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "asset.moved";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["AssetMovedData"];
        };
        /** @description The body of the event `asset.created`. */
        AssetCreatedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "asset.created";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["AssetCreatedData"];
        };
        /** @description The body of the event `asset.updated`. */
        AssetUpdatedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "asset.updated";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["AssetUpdatedData"];
        };
        /** @description The body of the event `asset.deleted`. */
        AssetDeletedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "asset.deleted";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["AssetDeletedData"];
        };
        /** @description The body of the event `location.created`. */
        LocationCreatedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "location.created";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["LocationCreatedData"];
        };
        /** @description The body of the event `location.updated`. */
        LocationUpdatedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "location.updated";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["LocationUpdatedData"];
        };
        /** @description The body of the event `location.deleted`. */
        LocationDeletedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "location.deleted";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["LocationDeletedData"];
        };
        /** @description The body of the event `tag.attached`. */
        TagAttachedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "tag.attached";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["TagAttachedData"];
        };
        /** @description The body of the event `tag.detached`. */
        TagDetachedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "tag.detached";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["TagDetachedData"];
        };
        /** @description The body of the event `reader.silent`. */
        ReaderSilentEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "reader.silent";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["ReaderEventData"];
        };
        /** @description The body of the event `reader.online`. */
        ReaderOnlineEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "reader.online";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["ReaderEventData"];
        };
        /** @description The body of the event `alert.raised`. */
        AlertRaisedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "alert.raised";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["AlertEventData"];
        };
        /** @description The body of the event `alert.resolved`. */
        AlertResolvedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "alert.resolved";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["AlertEventData"];
        };
        /** @description The body of the event `import.finished`. */
        ImportFinishedEvent: {
            /**
             * @description Which event it is. Ignore events with an unknown value.
             * @enum {string}
             */
            event: "import.finished";
            /**
             * Format: uuid
             * @description The same on every attempt. Use it to detect duplicates.
             */
            delivery_id: string;
            /**
             * Format: date-time
             * @description When it happened; of a move, when the asset was seen at the new location. Use it to order events.
             * @example 2026-11-21T10:00:00.000Z
             */
            occurred_at: string;
            data: components["schemas"]["ImportFinishedData"];
        };
        /** @description A response with one `SignedUp`. */
        SignedUpAnswer: {
            data: components["schemas"]["SignedUp"];
        };
        /** @description A response with one `Session`. */
        SessionAnswer: {
            data: components["schemas"]["Session"];
        };
        /** @description A response with one `CurrentUser`. */
        CurrentUserAnswer: {
            data: components["schemas"]["CurrentUser"];
        };
        /** @description A page of a list of `SignedIn`. */
        SignedInPage: {
            /** @description The content of the response. */
            data: components["schemas"]["SignedIn"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A page of a list of `ListedMember`. */
        ListedMemberPage: {
            /** @description The content of the response. */
            data: components["schemas"]["ListedMember"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Member`. */
        MemberAnswer: {
            data: components["schemas"]["Member"];
        };
        /** @description A page of a list of `Invitation`. */
        InvitationPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Invitation"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `InvitationCreated`. */
        InvitationCreatedAnswer: {
            data: components["schemas"]["InvitationCreated"];
        };
        /** @description A response with one `Organization`. */
        OrganizationAnswer: {
            data: components["schemas"]["Organization"];
        };
        /** @description A response with one `UpdatedOrganization`. */
        UpdatedOrganizationAnswer: {
            data: components["schemas"]["UpdatedOrganization"];
        };
        /** @description A response with one `ResetLink`. */
        ResetLinkAnswer: {
            data: components["schemas"]["ResetLink"];
        };
        /** @description A response with one `MailSent`. */
        MailSentAnswer: {
            data: components["schemas"]["MailSent"];
        };
        /** @description A response with one `InvitationDescription`. */
        InvitationDescriptionAnswer: {
            data: components["schemas"]["InvitationDescription"];
        };
        /** @description A response with one `TotpSecret`. */
        TotpSecretAnswer: {
            data: components["schemas"]["TotpSecret"];
        };
        /** @description A response with one `RecoveryCodes`. */
        RecoveryCodesAnswer: {
            data: components["schemas"]["RecoveryCodes"];
        };
        /** @description A response with one `SignOnState`. */
        SignOnStateAnswer: {
            data: components["schemas"]["SignOnState"];
        };
        /** @description A response with one `CurrentOrganization`. */
        CurrentOrganizationAnswer: {
            data: components["schemas"]["CurrentOrganization"];
        };
        /** @description A page of a list of `ApiKey`. */
        ApiKeyPage: {
            /** @description The content of the response. */
            data: components["schemas"]["ApiKey"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `ApiKeyCreated`. */
        ApiKeyCreatedAnswer: {
            data: components["schemas"]["ApiKeyCreated"];
        };
        /** @description A response with one `ProvisioningLink`. */
        ProvisioningLinkAnswer: {
            data: components["schemas"]["ProvisioningLink"];
        };
        /** @description A response with one `ReaderSettings`. */
        ReaderSettingsAnswer: {
            data: components["schemas"]["ReaderSettings"];
        };
        /** @description A list of `Limit`. */
        LimitList: {
            /** @description The content of the response. */
            data: components["schemas"]["Limit"][];
        };
        /** @description A response with one `ErasedHistory`. */
        ErasedHistoryAnswer: {
            data: components["schemas"]["ErasedHistory"];
        };
        /** @description A response with one `PlacementSettings`. */
        PlacementSettingsAnswer: {
            data: components["schemas"]["PlacementSettings"];
        };
        /** @description A response with one `PlacementPreview`. */
        PlacementPreviewAnswer: {
            data: components["schemas"]["PlacementPreview"];
        };
        /** @description A list of `BatchResult`. */
        BatchResultList: {
            /** @description The content of the response. */
            data: components["schemas"]["BatchResult"][];
        };
        /** @description A page of a list of `Asset`. */
        AssetPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Asset"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Asset`. */
        AssetAnswer: {
            data: components["schemas"]["Asset"];
        };
        /** @description A renamed `Asset`, and how many others show its new key. */
        AssetRenamed: {
            data: components["schemas"]["Asset"];
            /**
             * @description How many live sub-locations, at any depth, show the new key in their path.
             * @example 0
             */
            descendant_count_affected: number;
        };
        /** @description A page of a list of `Location`. */
        LocationPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Location"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Location`. */
        LocationAnswer: {
            data: components["schemas"]["Location"];
        };
        /** @description A renamed `Location`, and how many others show its new key. */
        LocationRenamed: {
            data: components["schemas"]["Location"];
            /**
             * @description How many live sub-locations, at any depth, show the new key in their path.
             * @example 0
             */
            descendant_count_affected: number;
        };
        /** @description A page of a list of `LocationOfBranch`. */
        LocationOfBranchPage: {
            /** @description The content of the response. */
            data: components["schemas"]["LocationOfBranch"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Tag`. */
        TagAnswer: {
            data: components["schemas"]["Tag"];
        };
        /** @description A response with one `AssetRestorePreview`. */
        AssetRestorePreviewAnswer: {
            data: components["schemas"]["AssetRestorePreview"];
        };
        /** @description A response with one `LocationRestorePreview`. */
        LocationRestorePreviewAnswer: {
            data: components["schemas"]["LocationRestorePreview"];
        };
        /** @description A list of `LookupRow`. */
        LookupRowList: {
            /** @description The content of the response. */
            data: components["schemas"]["LookupRow"][];
        };
        /** @description A list of `FloorPlan`. */
        FloorPlanList: {
            /** @description The content of the response. */
            data: components["schemas"]["FloorPlan"][];
        };
        /** @description A response with one `FloorPlan`. */
        FloorPlanAnswer: {
            data: components["schemas"]["FloorPlan"];
        };
        /** @description A response with one `Floor`. */
        FloorAnswer: {
            data: components["schemas"]["Floor"];
        };
        /** @description A response with one `Import`. */
        ImportAnswer: {
            data: components["schemas"]["Import"];
        };
        /** @description A page of a list of `Import`. */
        ImportPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Import"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A page of a list of `ImportRow`. */
        ImportRowPage: {
            /** @description The content of the response. */
            data: components["schemas"]["ImportRow"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A page of a list of `HistoryRow`. */
        HistoryRowPage: {
            /** @description The content of the response. */
            data: components["schemas"]["HistoryRow"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A page of a list of `AssetLocation`. */
        AssetLocationPage: {
            /** @description The content of the response. */
            data: components["schemas"]["AssetLocation"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A page of a list of `CurrentLocation`. */
        CurrentLocationPage: {
            /** @description The content of the response. */
            data: components["schemas"]["CurrentLocation"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A page of a list of `Sighting`. */
        SightingPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Sighting"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
            waiting: {
                location: {
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    id: number;
                    external_key: string | null;
                    name: string | null;
                } | null;
                /**
                 * Format: date-time
                 * @example 2026-11-21T10:00:00.000Z
                 */
                at: string;
            } | null;
        };
        /** @description A list of `Occupancy`. */
        OccupancyList: {
            /** @description The content of the response. */
            data: components["schemas"]["Occupancy"][];
            total: number;
            nowhere: number;
        };
        /** @description A page of a list of `UnsteadyAssetRow`. */
        UnsteadyAssetRowPage: {
            /** @description The content of the response. */
            data: components["schemas"]["UnsteadyAssetRow"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `LocationUses`. */
        LocationUsesAnswer: {
            data: components["schemas"]["LocationUses"];
        };
        /** @description A response with one `Playback`. */
        PlaybackAnswer: {
            data: components["schemas"]["Playback"];
        };
        /** @description A response with one `MovementSummary`. */
        MovementSummaryAnswer: {
            data: components["schemas"]["MovementSummary"];
        };
        /** @description A page of a list of `VisitReportRow`. */
        VisitReportRowPage: {
            /** @description The content of the response. */
            data: components["schemas"]["VisitReportRow"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Export`. */
        ExportAnswer: {
            data: components["schemas"]["Export"];
        };
        /** @description A page of a list of `Export`. */
        ExportPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Export"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `ExportDetail`. */
        ExportDetailAnswer: {
            data: components["schemas"]["ExportDetail"];
        };
        /** @description A response with one `InventorySaved`. */
        InventorySavedAnswer: {
            data: components["schemas"]["InventorySaved"];
        };
        /** @description A page of a list of `Rule`. */
        RulePage: {
            /** @description The content of the response. */
            data: components["schemas"]["Rule"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Rule`. */
        RuleAnswer: {
            data: components["schemas"]["Rule"];
        };
        /** @description A response with one `RuleTest`. */
        RuleTestAnswer: {
            data: components["schemas"]["RuleTest"];
        };
        /** @description A response with one `RulePreview`. */
        RulePreviewAnswer: {
            data: components["schemas"]["RulePreview"];
        };
        /** @description A page of a list of `Alert`. */
        AlertPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Alert"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Alert`. */
        AlertAnswer: {
            data: components["schemas"]["Alert"];
        };
        /** @description A response with one `AcknowledgedAlerts`. */
        AcknowledgedAlertsAnswer: {
            data: components["schemas"]["AcknowledgedAlerts"];
        };
        /** @description A page of a list of `ListedReader`. */
        ListedReaderPage: {
            /** @description The content of the response. */
            data: components["schemas"]["ListedReader"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Reader`. */
        ReaderAnswer: {
            data: components["schemas"]["Reader"];
        };
        /** @description A list of `ReaderHour`. */
        ReaderHourList: {
            /** @description The content of the response. */
            data: components["schemas"]["ReaderHour"][];
        };
        /** @description A page of a list of `ScanPoint`. */
        ScanPointPage: {
            /** @description The content of the response. */
            data: components["schemas"]["ScanPoint"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `ScanPoint`. */
        ScanPointAnswer: {
            data: components["schemas"]["ScanPoint"];
        };
        /** @description A list of `ReaderMessage`. */
        ReaderMessageList: {
            /** @description The content of the response. */
            data: components["schemas"]["ReaderMessage"][];
        };
        /** @description A response with one `DecodedMessage`. */
        DecodedMessageAnswer: {
            data: components["schemas"]["DecodedMessage"];
        };
        /** @description A list of `ReaderPreset`. */
        ReaderPresetList: {
            /** @description The content of the response. */
            data: components["schemas"]["ReaderPreset"][];
        };
        /** @description A response with one `TestReadSent`. */
        TestReadSentAnswer: {
            data: components["schemas"]["TestReadSent"];
        };
        /** @description A page of a list of `UnknownTag`. */
        UnknownTagPage: {
            /** @description The content of the response. */
            data: components["schemas"]["UnknownTag"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `ClaimedTag`. */
        ClaimedTagAnswer: {
            data: components["schemas"]["ClaimedTag"];
        };
        /** @description A page of a list of `Webhook`. */
        WebhookPage: {
            /** @description The content of the response. */
            data: components["schemas"]["Webhook"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Webhook`. */
        WebhookAnswer: {
            data: components["schemas"]["Webhook"];
        };
        /** @description A response with one `WebhookTest`. */
        WebhookTestAnswer: {
            data: components["schemas"]["WebhookTest"];
        };
        /** @description A page of a list of `WebhookDelivery`. */
        WebhookDeliveryPage: {
            /** @description The content of the response. */
            data: components["schemas"]["WebhookDelivery"][];
            /**
             * @description The limit of the request.
             * @example 50
             */
            limit: number;
            /**
             * @description The offset of the request.
             * @example 0
             */
            offset: number;
            /**
             * @description Number of rows on all pages.
             * @example 1
             */
            total_count: number;
        };
        /** @description A response with one `Replay`. */
        ReplayAnswer: {
            data: components["schemas"]["Replay"];
        };
        /** @description A response with one `EndpointDeliveryDetail`. */
        EndpointDeliveryDetailAnswer: {
            data: components["schemas"]["EndpointDeliveryDetail"];
        };
        /**
         * @description Your own JSON object, at most 64 KiB and 32 levels deep. Integers beyond ±(2^53-1) must be strings.
         * @example {
         *       "maker": "Linde"
         *     }
         */
        Metadata: {
            [key: string]: unknown;
        };
        /** @description Only on `gone` of events: what can be read, because `after` is older. */
        ErrorCursor: {
            /** @description All events that are kept come after it. */
            oldest: string;
            /** @description Only what happens from here on comes after it. */
            newest: string;
        };
        /** @description What is wrong with the request. */
        ErrorDetails: {
            /**
             * @description Branch on this. Known values: `validation_error`, `bad_request`, `unauthorized`, `forbidden`, `not_found`, `method_not_allowed`, `conflict`, `gone`, `precondition_failed`, `payload_too_large`, `unsupported_media_type`, `range_not_satisfiable`, `rate_limited`, `internal_error`, `service_unavailable`.
             * @example validation_error
             */
            type: string;
            /** @description For people. The text may change. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description For people. The text may change. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /** @description The value of the `X-Request-ID` header. */
            request_id: string;
            /** @description Only on `validation_error`: one entry per problem. */
            fields?: components["schemas"]["FieldError"][];
            /** @description Only on `conflict`: what has the key or the tag that you sent, if it still has it. */
            conflict?: components["schemas"]["ErrorConflict"];
            cursor?: components["schemas"]["ErrorCursor"];
            /** @description Only on `unauthorized` of a sign-in: the password is right, and a code is missing or wrong. */
            second_factor?: boolean;
            /** @description Only on `conflict` of a rule: how many alerts it would raise at once. */
            count?: number;
        };
    };
    responses: {
        /** @description Validation failed (`validation_error`) or Bad request (`bad_request`) */
        Error400: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit-Of-Counted-GET"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining-Of-Counted-GET"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset-Of-Counted-GET"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-Of-Counted-GET"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Authentication required (`unauthorized`) */
        Error401: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description As `text/plain`: the `User-Agent` is missing, empty or a default of an HTTP library. */
        RefusedUserAgent: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Payload too large (`payload_too_large`) */
        Error413: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unsupported media type (`unsupported_media_type`). The `Content-Type` is missing or is none that the operation takes: PATCH takes `application/merge-patch+json`. */
        Error415: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Rate limited (`rate_limited`) */
        Error429: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit-Of-Counted-GET"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining-Of-Counted-GET"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset-Of-Counted-GET"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-Of-Counted-GET"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal server error (`internal_error`) */
        Error500: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit-Of-Counted-GET"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining-Of-Counted-GET"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset-Of-Counted-GET"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-Of-Counted-GET"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service unavailable (`service_unavailable`) */
        Error503: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit-Of-Counted-GET"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining-Of-Counted-GET"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset-Of-Counted-GET"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-Of-Counted-GET"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error. All errors have this body. */
        AnyError: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden (`forbidden`). As `text/plain`, without this body: the `User-Agent` is missing, empty or a default of an HTTP library. */
        Error403: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit-Of-Counted-GET"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining-Of-Counted-GET"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset-Of-Counted-GET"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-Of-Counted-GET"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict (`conflict`) */
        Error409: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not found (`not_found`) */
        Error404: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit-Of-Counted-GET"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining-Of-Counted-GET"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset-Of-Counted-GET"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-Of-Counted-GET"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Gone (`gone`) */
        Error410: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Precondition failed (`precondition_failed`) */
        Error412: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Range not satisfiable (`range_not_satisfiable`) */
        Error416: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
        RequestId: string;
        /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
        IdempotencyKey: string;
        /** @description The `ETag` of what you have. If nothing has changed, the API responds with 304. */
        IfNoneMatch: string;
        /** @description The `ETag` of what you have read. If it has changed since, the API responds with 412 and changes nothing. */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request: yours or a ULID. Quote it when you report a problem. */
        "X-Request-ID": string;
        /** @description What to do about errors of this type. */
        Link: string;
        /** @description Requests per minute. Only on counted GETs. */
        "X-RateLimit-Limit-Of-Counted-GET": number;
        /** @description Requests left, at most the limit. Only on counted GETs. */
        "X-RateLimit-Remaining-Of-Counted-GET": number;
        /** @description Unix second when Remaining equals Limit again. Only on counted GETs. */
        "X-RateLimit-Reset-Of-Counted-GET": number;
        /** @description The sustained rate: requests and seconds. Only on counted GETs. */
        "RateLimit-Policy-Of-Counted-GET": string;
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
        /** @description Seconds to wait before a retry. */
        "Retry-After": number;
        /** @description The path of the new resource. */
        Location: string;
        /** @description Requests per minute. Always present for API keys. */
        "X-RateLimit-Limit": number;
        /** @description Requests left, at most the limit. Always present for API keys. */
        "X-RateLimit-Remaining": number;
        /** @description Unix second when Remaining equals Limit again. Always present for API keys. */
        "X-RateLimit-Reset": number;
        /** @description The sustained rate: requests and seconds. Always present for API keys. */
        "RateLimit-Policy": string;
        /** @description With `text/csv`: the number of rows on all pages. */
        "X-Total-Count": number;
        /** @description Present on the response to a repeated request, which changed nothing. */
        "Idempotent-Replayed": string;
        /** @description Stands for the state of the response, tags included. The same in every encoding. */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                 *       "client_secret": "wb_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                 *     }
                 */
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *       "refresh_token": "q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "scope": "assets:read locations:read"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenPair"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["RefusedUserAgent"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "org_name": "no example",
                 *       "name": "no example",
                 *       "email": "no example",
                 *       "password": "no example"
                 *     }
                 */
                "application/json": {
                    org_name: string;
                    name: string;
                    /** Format: email */
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *         "refresh_token": "q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "user": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": "no example",
                     *           "role": "admin"
                     *         },
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "created_at": "2026-11-21T10:00:00.000Z"
                     *         },
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedUpAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "no example",
                 *       "password": "no example",
                 *       "code": "no example",
                 *       "org_id": 4503599627370497
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                    code?: string;
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    org_id?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *         "refresh_token": "q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "user": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": "no example",
                     *           "role": "admin"
                     *         },
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "created_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "no example",
                 *       "org_id": 4503599627370497
                 *     }
                 */
                "application/json": {
                    refresh_token: string;
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    org_id?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *         "refresh_token": "no example",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "user": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": "no example",
                     *           "role": "admin"
                     *         },
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "created_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["RefusedUserAgent"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "no example"
                 *     }
                 */
                "application/json": {
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["RefusedUserAgent"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "no example",
                     *         "email": "no example",
                     *         "email_verified": true,
                     *         "second_factor": true,
                     *         "org_id": 4503599627370497,
                     *         "orgs": [
                     *           {
                     *             "id": 4503599627370497,
                     *             "name": "no example",
                     *             "role": "admin",
                     *             "created_at": "2026-11-21T10:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUserAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateCurrentUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "no example"
                 *     }
                 */
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "no example",
                     *         "email": "no example",
                     *         "email_verified": true,
                     *         "second_factor": true,
                     *         "org_id": 4503599627370497,
                     *         "orgs": [
                     *           {
                     *             "id": 4503599627370497,
                     *             "name": "no example",
                     *             "role": "admin",
                     *             "created_at": "2026-11-21T10:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUserAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "no example",
                 *       "new_password": "no example"
                 *     }
                 */
                "application/json": {
                    current_password: string;
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *           "org": {
                     *             "id": 4503599627370497,
                     *             "name": "no example"
                     *           },
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "last_used_at": "2026-11-21T10:00:00.000Z",
                     *           "expires_at": "2026-11-21T10:00:00.000Z",
                     *           "current": true
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["SignedInPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    switchOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "org_id": 4503599627370497,
                 *       "refresh_token": "no example"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int64
                     * @example 4503599627370497
                     */
                    org_id: number;
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *         "refresh_token": "no example",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "user": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": "no example",
                     *           "role": "admin"
                     *         },
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "created_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": null,
                     *           "role": "admin",
                     *           "joined_at": "2026-11-21T10:00:00.000Z",
                     *           "last_signed_in_at": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ListedMemberPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role: "admin" | "member" | "viewer";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "no example",
                     *         "email": "no example",
                     *         "role": "admin",
                     *         "joined_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemberAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "email": "no example",
                     *           "role": "admin",
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "created_by": null,
                     *           "created_by_name": "no example",
                     *           "expires_at": "2026-11-21T10:00:00.000Z",
                     *           "mail_failed": true
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "no example",
                 *       "role": "admin"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @enum {string} */
                    role: "admin" | "member" | "viewer";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "email": "no example",
                     *         "role": "admin",
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "created_by": null,
                     *         "created_by_name": "no example",
                     *         "expires_at": "2026-11-21T10:00:00.000Z",
                     *         "mail_failed": true,
                     *         "token": "no example",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationCreatedAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
                invitation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example",
                 *       "name": "no example",
                 *       "password": "no example",
                 *       "code": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                    name?: string;
                    password?: string;
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *         "refresh_token": "q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "user": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": "no example",
                     *           "role": "admin"
                     *         },
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "created_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "no example",
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "timezone": "Europe/Berlin",
                     *         "retention_days": {
                     *           "asset": null,
                     *           "person": 30,
                     *           "inventory": null
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OrganizationAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "no example"
                 *     }
                 */
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "no example",
                 *       "timezone": "Europe/Berlin",
                 *       "retention_days": {
                 *         "person": 30
                 *       }
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @example Europe/Berlin */
                    timezone?: string;
                    retention_days?: components["schemas"]["RetentionUpdate"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "no example",
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "timezone": "Europe/Berlin",
                     *         "retention_days": {
                     *           "asset": null,
                     *           "person": 30,
                     *           "inventory": null
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpdatedOrganizationAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    exportOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "application/zip": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createResetLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "token": "no example",
                     *         "expires_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResetLinkAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example",
                 *       "password": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "no example"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    sendVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MailSentAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["RefusedUserAgent"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    changeEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "no example",
                 *       "password": "no example"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MailSentAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["RefusedUserAgent"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    describeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example"
                     *         },
                     *         "email": "no example",
                     *         "role": "admin",
                     *         "invited_by": "no example",
                     *         "expires_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationDescriptionAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["RefusedUserAgent"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    joinOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "no example",
                     *         "email": "no example",
                     *         "email_verified": true,
                     *         "second_factor": true,
                     *         "org_id": 4503599627370497,
                     *         "orgs": [
                     *           {
                     *             "id": 4503599627370497,
                     *             "name": "no example",
                     *             "role": "admin",
                     *             "created_at": "2026-11-21T10:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUserAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *         "uri": "otpauth://totp/Whereabouts:ada%40example.com?issuer=Whereabouts&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TotpSecretAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "no example",
                 *       "code": "no example"
                 *     }
                 */
                "application/json": {
                    password: string;
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "no example"
                 *     }
                 */
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "recovery_codes": [
                     *           "ABCD-EFGH-IJKL-MN23"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodesAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    describeSignOn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "enabled": true,
                     *         "required": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignOnStateAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["RefusedUserAgent"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    startSignOn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            302: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["RefusedUserAgent"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    finishSignOn: {
        parameters: {
            query?: {
                /** @description Repeatable: one of the states matches. What the sign-on started with. */
                state?: string;
                /** @description The provider's code. */
                code?: string;
                /** @description The provider (RFC 9207). */
                iss?: string;
                /** @description Why the provider refused. */
                error?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            302: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    openSignOnSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "no example"
                 *     }
                 */
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl",
                     *         "refresh_token": "q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900,
                     *         "user": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "email": "no example",
                     *           "role": "admin"
                     *         },
                     *         "org": {
                     *           "id": 4503599627370497,
                     *           "name": "no example",
                     *           "created_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getCurrentOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "name": "Acme Logistics",
                     *         "scopes": [
                     *           "assets:read",
                     *           "scans:read"
                     *         ],
                     *         "api_key_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentOrganizationAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["RefusedUserAgent"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "jti": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *           "name": "ERP connector",
                     *           "scopes": [
                     *             "assets:read",
                     *             "scans:read"
                     *           ],
                     *           "reader_key": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "created_by": null,
                     *           "created_by_key_id": null,
                     *           "expires_at": null,
                     *           "last_used_at": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ERP connector",
                 *       "scopes": [
                 *         "assets:read",
                 *         "scans:read"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "jti": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *         "client_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *         "client_secret": "wb_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                     *         "name": "ERP connector",
                     *         "scopes": [
                     *           "assets:read",
                     *           "scans:read"
                     *         ],
                     *         "reader_key": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "expires_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyCreatedAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /** @description `true` also revokes the keys that this key created, and those that they created. */
                descendants?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
                /** @description The id or the UUID. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createProvisioningLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reader_key": "dock-1",
                 *       "format": "canonical"
                 *     }
                 */
                "application/json": {
                    /** @example dock-1 */
                    reader_key: string;
                    /** @enum {string} */
                    format: "canonical" | "impinj" | "zebra" | "csl" | "moko" | "minew" | "gl-s10" | "kkm" | "mapping";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "token": "no example",
                     *         "expires_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProvisioningLinkAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    provisionReader: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "no example"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "org_id": 4503599627370497,
                     *         "reader_key": "no example",
                     *         "format": "canonical",
                     *         "client_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *         "client_secret": "no example"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderSettingsAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            403: components["responses"]["RefusedUserAgent"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "assets",
                     *           "limit": 1000000,
                     *           "used": 512
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LimitList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["RefusedUserAgent"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description The id of a user or of an API key. */
                actor_id?: number;
                /** @description What was done: `asset.update`. */
                action?: string;
                /** @description The type of the thing that was changed: `asset`. */
                subject_type?: string;
                /** @description The id of the thing that was changed. */
                subject_id?: number;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
                /** @description Follows the audit: the `cursor` of the answer before, `oldest`, or `now`. The answer is then `{data, cursor, has_more}`. */
                after?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a",
                     *           "at": "2026-11-21T08:30:00.000Z",
                     *           "actor": {
                     *             "type": "user",
                     *             "id": 4503599627370496,
                     *             "name": "Ada"
                     *           },
                     *           "action": "asset.update",
                     *           "subject": {
                     *             "type": "asset",
                     *             "id": 4503599627370497,
                     *             "external_key": "FORKLIFT-7"
                     *           },
                     *           "changes": {
                     *             "name": {
                     *               "from": "Forklift 7",
                     *               "to": "Forklift 8"
                     *             }
                     *           },
                     *           "ip": "203.0.113.7",
                     *           "request_id": "01KAJ3ZQ6T9W2N4M8R5X7V1C0B"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1,
                     *       "cursor": "MTAwMSAxMjM",
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            410: components["responses"]["Error410"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    eraseAssetHistory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-01T00:00:00.000Z",
                 *       "to": "2026-11-21T10:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["HistoryErasure"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "rows": 28800,
                     *         "movements": 96
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ErasedHistoryAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getPlacement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "passages": "next_observation",
                     *         "tag_types": [
                     *           "rfid"
                     *         ],
                     *         "margin_db": 1,
                     *         "exit_delay_seconds": 1,
                     *         "min_rssi_dbm": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PlacementSettingsAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updatePlacement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "passages": "next_observation",
                 *       "tag_types": [
                 *         "rfid"
                 *       ],
                 *       "margin_db": 0,
                 *       "exit_delay_seconds": 0
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["PlacementUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "passages": "next_observation",
                     *         "tag_types": [
                     *           "rfid"
                     *         ],
                     *         "margin_db": 0,
                     *         "exit_delay_seconds": 0,
                     *         "min_rssi_dbm": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PlacementSettingsAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    previewPlacement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the organization, as `GET /orgs/me` returns it. */
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "settings": {
                 *         "margin_db": 6,
                 *         "exit_delay_seconds": 120
                 *       },
                 *       "hours": 24
                 *     }
                 */
                "application/json": components["schemas"]["PlacementPreviewRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "from": null,
                     *         "movements_now": 1,
                     *         "movements_then": 1,
                     *         "most_changed": [
                     *           {
                     *             "asset": {
                     *               "id": 4503599627370497,
                     *               "external_key": "no example",
                     *               "name": "no example"
                     *             },
                     *             "now": 1,
                     *             "then": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PlacementPreviewAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    saveAssetBatch: {
        parameters: {
            query?: {
                /** @description `upsert` creates what is missing and updates the rest. `create` fails items that exist, `update` those that do not. */
                mode?: "upsert" | "create" | "update";
                /** @description Whether to say what would happen and change nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "external_key": "FORKLIFT-7",
                 *           "name": "Forklift 7",
                 *           "metadata": {
                 *             "maker": "Linde"
                 *           },
                 *           "tags": [
                 *             {
                 *               "tag_type": "rfid",
                 *               "value": "E28011606000020A1B2C3D4E"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AssetBatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "index": 0,
                     *           "status": "failed",
                     *           "id": null,
                     *           "error": {
                     *             "type": "conflict",
                     *             "detail": "tag rfid:E28011606000020A1B2C3D4E already exists"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResultList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    saveLocationBatch: {
        parameters: {
            query?: {
                /** @description `upsert` creates what is missing and updates the rest. `create` fails items that exist, `update` those that do not. */
                mode?: "upsert" | "create" | "update";
                /** @description Whether to say what would happen and change nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "external_key": "DOCK-1",
                 *           "name": "Dock 1",
                 *           "parent_external_key": "WAREHOUSE-1"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LocationBatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "index": 0,
                     *           "status": "failed",
                     *           "id": null,
                     *           "error": {
                     *             "type": "conflict",
                     *             "detail": "tag rfid:E28011606000020A1B2C3D4E already exists"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResultList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listAssets: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the values matches. */
                id?: number[];
                /** @description Repeatable: one of the values matches. */
                external_key?: string[];
                /** @description Returns only active (`true`) or only inactive (`false`) rows. */
                is_active?: boolean;
                /** @description Repeatable: one of the values matches. */
                type?: ("asset" | "person" | "inventory")[];
                /** @description A tag as `<type>:<value>`, compared as a read is: `rfid` and `ble` ignore case, spaces, dashes and colons, `rfid` also `0x`, `barcode` white space at its ends. An EPC matches in hex and as a URN, a beacon in any spelling. Repeatable: one of the tags matches. */
                tag?: string[];
                /** @description Repeatable: one of the values matches. */
                home_location_id?: number[];
                /** @description `true` returns only assets that are not at their home or below it, `false` only those that are. Assets without a home or without a location are neither. */
                misplaced?: boolean;
                /** @description `true` also returns deleted rows. */
                include_deleted?: boolean;
                /** @description `any` adds rows whose validity window does not include the current time. */
                window?: "current" | "any";
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `external_key`, `name`, `created_at`, `updated_at`. */
                sort?: string;
                /** @description Adds the thing itself to each row: id, external key and name, or null. Separated by commas: `home`. CSV stays as it is. */
                expand?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "external_key": "FORKLIFT-7",
                     *           "name": "Forklift 7",
                     *           "description": "Reach truck, battery changed in May",
                     *           "type": "asset",
                     *           "metadata": {
                     *             "maker": "Linde"
                     *           },
                     *           "home_location_id": null,
                     *           "home_location_external_key": null,
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": [
                     *             {
                     *               "id": 4503599627370521,
                     *               "tag_type": "rfid",
                     *               "value": "E28011606000020A1B2C3D4E"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Forklift 7",
                 *       "external_key": "FORKLIFT-7",
                 *       "description": "Reach truck, battery changed in May",
                 *       "type": "asset",
                 *       "metadata": {
                 *         "maker": "Linde"
                 *       },
                 *       "valid_from": "2026-11-21T10:00:00Z",
                 *       "tags": [
                 *         {
                 *           "tag_type": "rfid",
                 *           "value": "E28011606000020A1B2C3D4E"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AssetCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "external_key": "FORKLIFT-7",
                     *         "name": "Forklift 7",
                     *         "description": "Reach truck, battery changed in May",
                     *         "type": "asset",
                     *         "metadata": {
                     *           "maker": "Linde"
                     *         },
                     *         "home_location_id": null,
                     *         "home_location_external_key": null,
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": [
                     *           {
                     *             "id": 4503599627370521,
                     *             "tag_type": "rfid",
                     *             "value": "E28011606000020A1B2C3D4E"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AssetAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have. If nothing has changed, the API responds with 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "external_key": "FORKLIFT-7",
                     *         "name": "Forklift 7",
                     *         "description": "Reach truck, battery changed in May",
                     *         "type": "asset",
                     *         "metadata": {
                     *           "maker": "Linde"
                     *         },
                     *         "home_location_id": null,
                     *         "home_location_external_key": null,
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": [
                     *           {
                     *             "id": 4503599627370521,
                     *             "tag_type": "rfid",
                     *             "value": "E28011606000020A1B2C3D4E"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AssetAnswer"];
                };
            };
            /** @description Nothing has changed since the response with the `ETag` that you sent. Without a body. */
            304: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have read. If it has changed since, the API responds with 412 and changes nothing. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have read. If it has changed since, the API responds with 412 and changes nothing. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Forklift 8",
                 *       "description": null,
                 *       "metadata": {
                 *         "maker": "Linde",
                 *         "serial": "H2X-0815"
                 *       }
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["AssetPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "external_key": "FORKLIFT-7",
                     *         "name": "Forklift 8",
                     *         "description": null,
                     *         "type": "asset",
                     *         "metadata": {
                     *           "maker": "Linde",
                     *           "serial": "H2X-0815"
                     *         },
                     *         "home_location_id": null,
                     *         "home_location_external_key": null,
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": [
                     *           {
                     *             "id": 4503599627370521,
                     *             "tag_type": "rfid",
                     *             "value": "E28011606000020A1B2C3D4E"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AssetAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    renameAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_key": "NORTH-1"
                 *     }
                 */
                "application/json": components["schemas"]["Rename"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "external_key": "NORTH-1",
                     *         "name": "Forklift 7",
                     *         "description": "Reach truck, battery changed in May",
                     *         "type": "asset",
                     *         "metadata": {
                     *           "maker": "Linde"
                     *         },
                     *         "home_location_id": null,
                     *         "home_location_external_key": null,
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": [
                     *           {
                     *             "id": 4503599627370521,
                     *             "tag_type": "rfid",
                     *             "value": "E28011606000020A1B2C3D4E"
                     *           }
                     *         ]
                     *       },
                     *       "descendant_count_affected": 0
                     *     }
                     */
                    "application/json": components["schemas"]["AssetRenamed"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLocations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the values matches. */
                id?: number[];
                /** @description Repeatable: one of the values matches. */
                external_key?: string[];
                /** @description Repeatable: one of the values matches. */
                parent_id?: number[];
                /** @description Repeatable: one of the values matches. */
                parent_external_key?: string[];
                /** @description Returns only locations without a parent (`true`) or only those with one (`false`). */
                is_root?: boolean;
                /** @description Returns only active (`true`) or only inactive (`false`) rows. */
                is_active?: boolean;
                /** @description A tag as `<type>:<value>`, compared as a read is: `rfid` and `ble` ignore case, spaces, dashes and colons, `rfid` also `0x`, `barcode` white space at its ends. An EPC matches in hex and as a URN, a beacon in any spelling. Repeatable: one of the tags matches. */
                tag?: string[];
                /** @description `true` also returns deleted rows. */
                include_deleted?: boolean;
                /** @description `any` adds rows whose validity window does not include the current time. */
                window?: "current" | "any";
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `external_key`, `name`, `created_at`, `updated_at`. */
                sort?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370513,
                     *           "external_key": "DOCK-1",
                     *           "name": "Dock 1",
                     *           "description": "North side",
                     *           "parent_id": 4503599627370512,
                     *           "parent_external_key": "WAREHOUSE-1",
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": []
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LocationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dock 1",
                 *       "external_key": "DOCK-1",
                 *       "description": "North side",
                 *       "parent_external_key": "WAREHOUSE-1"
                 *     }
                 */
                "application/json": components["schemas"]["LocationCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370513,
                     *         "external_key": "DOCK-1",
                     *         "name": "Dock 1",
                     *         "description": "North side",
                     *         "parent_id": 4503599627370512,
                     *         "parent_external_key": "WAREHOUSE-1",
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have. If nothing has changed, the API responds with 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370513,
                     *         "external_key": "DOCK-1",
                     *         "name": "Dock 1",
                     *         "description": "North side",
                     *         "parent_id": 4503599627370512,
                     *         "parent_external_key": "WAREHOUSE-1",
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationAnswer"];
                };
            };
            /** @description Nothing has changed since the response with the `ETag` that you sent. Without a body. */
            304: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have read. If it has changed since, the API responds with 412 and changes nothing. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have read. If it has changed since, the API responds with 412 and changes nothing. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dock 2",
                 *       "description": null,
                 *       "parent_external_key": "WAREHOUSE-1"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["LocationPatch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370513,
                     *         "external_key": "DOCK-1",
                     *         "name": "Dock 2",
                     *         "description": null,
                     *         "parent_id": 4503599627370512,
                     *         "parent_external_key": "WAREHOUSE-1",
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    renameLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_key": "NORTH-1"
                 *     }
                 */
                "application/json": components["schemas"]["Rename"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370513,
                     *         "external_key": "NORTH-1",
                     *         "name": "Dock 1",
                     *         "description": "North side",
                     *         "parent_id": 4503599627370512,
                     *         "parent_external_key": "WAREHOUSE-1",
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": []
                     *       },
                     *       "descendant_count_affected": 0
                     *     }
                     */
                    "application/json": components["schemas"]["LocationRenamed"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLocationBranch: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                parent_id?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "external_key": "DOCK-1",
                     *           "name": "Dock 1",
                     *           "description": null,
                     *           "parent_id": null,
                     *           "parent_external_key": null,
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": [
                     *             {
                     *               "id": 4503599627370497,
                     *               "tag_type": "rfid",
                     *               "value": "3074257BF7194E4000001A85",
                     *               "epc": {
                     *                 "scheme": "sgtin-96",
                     *                 "uri": "urn:epc:tag:sgtin-96:3.0614141.812345.6789",
                     *                 "pure_identity_uri": "urn:epc:id:sgtin:0614141.812345.6789",
                     *                 "company_prefix": "0614141",
                     *                 "filter": 3,
                     *                 "serial": "6789"
                     *               }
                     *             }
                     *           ],
                     *           "children_count": 0
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LocationOfBranchPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLocationAncestors: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370513,
                     *           "external_key": "DOCK-1",
                     *           "name": "Dock 1",
                     *           "description": "North side",
                     *           "parent_id": 4503599627370512,
                     *           "parent_external_key": "WAREHOUSE-1",
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": []
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LocationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLocationChildren: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370513,
                     *           "external_key": "DOCK-1",
                     *           "name": "Dock 1",
                     *           "description": "North side",
                     *           "parent_id": 4503599627370512,
                     *           "parent_external_key": "WAREHOUSE-1",
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": []
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LocationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLocationDescendants: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370513,
                     *           "external_key": "DOCK-1",
                     *           "name": "Dock 1",
                     *           "description": "North side",
                     *           "parent_id": 4503599627370512,
                     *           "parent_external_key": "WAREHOUSE-1",
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": []
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LocationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    addAssetTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tag_type": "rfid",
                 *       "value": "3074257BF7194E4000001A85"
                 *     }
                 */
                "application/json": components["schemas"]["TagCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "tag_type": "rfid",
                     *         "value": "3074257BF7194E4000001A85",
                     *         "epc": {
                     *           "scheme": "sgtin-96",
                     *           "uri": "urn:epc:tag:sgtin-96:3.0614141.812345.6789",
                     *           "pure_identity_uri": "urn:epc:id:sgtin:0614141.812345.6789",
                     *           "company_prefix": "0614141",
                     *           "filter": 3,
                     *           "serial": "6789"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TagAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    removeAssetTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
                /** @description The id of the tag. */
                tag_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    addLocationTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tag_type": "rfid",
                 *       "value": "3074257BF7194E4000001A85"
                 *     }
                 */
                "application/json": components["schemas"]["TagCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "tag_type": "rfid",
                     *         "value": "3074257BF7194E4000001A85",
                     *         "epc": {
                     *           "scheme": "sgtin-96",
                     *           "uri": "urn:epc:tag:sgtin-96:3.0614141.812345.6789",
                     *           "pure_identity_uri": "urn:epc:id:sgtin:0614141.812345.6789",
                     *           "company_prefix": "0614141",
                     *           "filter": 3,
                     *           "serial": "6789"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TagAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    removeLocationTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
                /** @description The id of the tag. */
                tag_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    previewAssetRestore: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tags": [
                     *           {
                     *             "tag_type": "rfid",
                     *             "value": "3074257BF7194E4000001A85",
                     *             "epc": null,
                     *             "held_by": null
                     *           }
                     *         ],
                     *         "key_held_by": null,
                     *         "asset": {
                     *           "id": 4503599627370497,
                     *           "external_key": "FORKLIFT-7",
                     *           "name": "Forklift 7",
                     *           "description": "Reach truck, battery changed in May",
                     *           "type": "asset",
                     *           "metadata": {
                     *             "maker": "Linde"
                     *           },
                     *           "home_location_id": null,
                     *           "home_location_external_key": null,
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": [
                     *             {
                     *               "id": 4503599627370521,
                     *               "tag_type": "rfid",
                     *               "value": "E28011606000020A1B2C3D4E"
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AssetRestorePreviewAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    restoreAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_key": "FORKLIFT-7B"
                 *     }
                 */
                "application/json": components["schemas"]["AssetRestore"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "external_key": "FORKLIFT-7B",
                     *         "name": "Forklift 7",
                     *         "description": "Reach truck, battery changed in May",
                     *         "type": "asset",
                     *         "metadata": {
                     *           "maker": "Linde"
                     *         },
                     *         "home_location_id": null,
                     *         "home_location_external_key": null,
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": [
                     *           {
                     *             "id": 4503599627370521,
                     *             "tag_type": "rfid",
                     *             "value": "E28011606000020A1B2C3D4E"
                     *           }
                     *         ]
                     *       },
                     *       "tags_not_restored": [
                     *         {
                     *           "tag_type": "rfid",
                     *           "value": "3074257BF7194E4000001A85",
                     *           "epc": null,
                     *           "held_by": {
                     *             "resource": "asset",
                     *             "id": 4503599627370497,
                     *             "external_key": "no example",
                     *             "name": "no example"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Asset"];
                        tags_not_restored: components["schemas"]["LostTag"][];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    previewLocationRestore: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tags": [
                     *           {
                     *             "tag_type": "rfid",
                     *             "value": "3074257BF7194E4000001A85",
                     *             "epc": null,
                     *             "held_by": null
                     *           }
                     *         ],
                     *         "key_held_by": null,
                     *         "location": {
                     *           "id": 4503599627370513,
                     *           "external_key": "DOCK-1",
                     *           "name": "Dock 1",
                     *           "description": "North side",
                     *           "parent_id": 4503599627370512,
                     *           "parent_external_key": "WAREHOUSE-1",
                     *           "is_active": true,
                     *           "valid_from": "2026-11-21T10:00:00.000Z",
                     *           "valid_to": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z",
                     *           "deleted_at": null,
                     *           "tags": []
                     *         },
                     *         "parent": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationRestorePreviewAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    restoreLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the location. */
                location_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_key": "DOCK-1B",
                 *       "parent_id": null
                 *     }
                 */
                "application/json": components["schemas"]["LocationRestore"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370513,
                     *         "external_key": "DOCK-1B",
                     *         "name": "Dock 1",
                     *         "description": "North side",
                     *         "parent_id": null,
                     *         "parent_external_key": "WAREHOUSE-1",
                     *         "is_active": true,
                     *         "valid_from": "2026-11-21T10:00:00.000Z",
                     *         "valid_to": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z",
                     *         "deleted_at": null,
                     *         "tags": []
                     *       },
                     *       "tags_not_restored": [
                     *         {
                     *           "tag_type": "rfid",
                     *           "value": "3074257BF7194E4000001A85",
                     *           "epc": null,
                     *           "held_by": {
                     *             "resource": "asset",
                     *             "id": 4503599627370497,
                     *             "external_key": "no example",
                     *             "name": "no example"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Location"];
                        tags_not_restored: components["schemas"]["LostTag"][];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    lookUpValues: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "values": [
                 *         "FORKLIFT-7",
                 *         "E28011606000020A1B2C3D4E"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Lookup"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "value": "no example",
                     *           "matches": [
                     *             {
                     *               "type": "asset",
                     *               "id": 4503599627370497,
                     *               "external_key": "no example",
                     *               "name": "no example",
                     *               "tag": null
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LookupRowList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listFloorPlans: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "place": "all",
                     *           "image": null,
                     *           "zones": [
                     *             {
                     *               "location_id": 4503599627370497,
                     *               "points": [
                     *                 [
                     *                   "no example"
                     *                 ]
                     *               ]
                     *             }
                     *           ],
                     *           "readers": [
                     *             {
                     *               "reader_id": 4503599627370497,
                     *               "x": 0,
                     *               "y": 0
                     *             }
                     *           ],
                     *           "version": 0,
                     *           "updated_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FloorPlanList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    saveFloorPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                place: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "zones": [
                 *         {
                 *           "location_id": 4503599627370497,
                 *           "points": [
                 *             [
                 *               0,
                 *               0
                 *             ],
                 *             [
                 *               5000,
                 *               0
                 *             ],
                 *             [
                 *               5000,
                 *               2500
                 *             ]
                 *           ]
                 *         }
                 *       ],
                 *       "readers": [
                 *         {
                 *           "reader_id": 4503599627370498,
                 *           "x": 2500,
                 *           "y": 100
                 *         }
                 *       ],
                 *       "version": 0
                 *     }
                 */
                "application/json": components["schemas"]["FloorPlanSave"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "place": "all",
                     *         "image": null,
                     *         "zones": [
                     *           {
                     *             "location_id": 4503599627370497,
                     *             "points": [
                     *               [
                     *                 "no example"
                     *               ]
                     *             ]
                     *           }
                     *         ],
                     *         "readers": [
                     *           {
                     *             "reader_id": 4503599627370497,
                     *             "x": 0,
                     *             "y": 0
                     *           }
                     *         ],
                     *         "version": 0,
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FloorPlanAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    saveFloorImage: {
        parameters: {
            query?: {
                version?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                place: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example no example */
                "image/png": string;
                /** @example no example */
                "image/jpeg": string;
                /** @example no example */
                "image/webp": string;
                /** @example no example */
                "image/svg+xml": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "place": "all",
                     *         "image": null,
                     *         "zones": [
                     *           {
                     *             "location_id": 4503599627370497,
                     *             "points": [
                     *               [
                     *                 "no example"
                     *               ]
                     *             ]
                     *           }
                     *         ],
                     *         "readers": [
                     *           {
                     *             "reader_id": 4503599627370497,
                     *             "x": 0,
                     *             "y": 0
                     *           }
                     *         ],
                     *         "version": 0,
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FloorPlanAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    removeFloorImage: {
        parameters: {
            query?: {
                version?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                place: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "place": "all",
                     *         "image": null,
                     *         "zones": [
                     *           {
                     *             "location_id": 4503599627370497,
                     *             "points": [
                     *               [
                     *                 "no example"
                     *               ]
                     *             ]
                     *           }
                     *         ],
                     *         "readers": [
                     *           {
                     *             "reader_id": 4503599627370497,
                     *             "x": 0,
                     *             "y": 0
                     *           }
                     *         ],
                     *         "version": 0,
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FloorPlanAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getFloorImage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "image/png": string;
                    /** @example no example */
                    "image/jpeg": string;
                    /** @example no example */
                    "image/webp": string;
                    /** @example no example */
                    "image/svg+xml": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getFloor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "read_at": "2026-11-21T10:00:00.000Z",
                     *         "locations": {
                     *           "id": [
                     *             1
                     *           ],
                     *           "external_key": [
                     *             "no example"
                     *           ],
                     *           "name": [
                     *             "no example"
                     *           ],
                     *           "parent": [
                     *             1
                     *           ],
                     *           "here": [
                     *             1
                     *           ],
                     *           "inside": [
                     *             1
                     *           ]
                     *         },
                     *         "assets": {
                     *           "id": [
                     *             1
                     *           ],
                     *           "external_key": [
                     *             "no example"
                     *           ],
                     *           "name": [
                     *             "no example"
                     *           ],
                     *           "type": [
                     *             "asset"
                     *           ],
                     *           "location": [
                     *             1
                     *           ],
                     *           "since": [
                     *             1
                     *           ],
                     *           "seen": [
                     *             1
                     *           ]
                     *         },
                     *         "total_locations": 0,
                     *         "total_assets": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FloorAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "resource": "assets",
                     *           "dry_run": true,
                     *           "state": "pending",
                     *           "rows_total": 0,
                     *           "rows_done": 0,
                     *           "created": 0,
                     *           "updated": 0,
                     *           "unchanged": 0,
                     *           "failed": 0,
                     *           "warned": 0,
                     *           "tags_removed": 0,
                     *           "encoding": "utf-8",
                     *           "empty_cells": "clear",
                     *           "first_names": [
                     *             "no example"
                     *           ],
                     *           "applied_from": null,
                     *           "ignored_columns": [
                     *             "no example"
                     *           ],
                     *           "created_by": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "started_at": null,
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ImportPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createImport: {
        parameters: {
            query: {
                resource: "assets" | "locations";
                dry_run?: boolean;
                empty_cells?: "clear" | "keep";
                /** @description Repeatable: one of the values matches. */
                column?: string[];
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example no example */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "resource": "assets",
                     *         "dry_run": true,
                     *         "state": "pending",
                     *         "rows_total": 0,
                     *         "rows_done": 0,
                     *         "created": 0,
                     *         "updated": 0,
                     *         "unchanged": 0,
                     *         "failed": 0,
                     *         "warned": 0,
                     *         "tags_removed": 0,
                     *         "encoding": "utf-8",
                     *         "empty_cells": "clear",
                     *         "first_names": [
                     *           "no example"
                     *         ],
                     *         "applied_from": null,
                     *         "ignored_columns": [
                     *           "no example"
                     *         ],
                     *         "created_by": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "started_at": null,
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ImportAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                import_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "resource": "assets",
                     *         "dry_run": true,
                     *         "state": "pending",
                     *         "rows_total": 0,
                     *         "rows_done": 0,
                     *         "created": 0,
                     *         "updated": 0,
                     *         "unchanged": 0,
                     *         "failed": 0,
                     *         "warned": 0,
                     *         "tags_removed": 0,
                     *         "encoding": "utf-8",
                     *         "empty_cells": "clear",
                     *         "first_names": [
                     *           "no example"
                     *         ],
                     *         "applied_from": null,
                     *         "ignored_columns": [
                     *           "no example"
                     *         ],
                     *         "created_by": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "started_at": null,
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ImportAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                import_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listImportRows: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the values matches. */
                outcome?: ("created" | "updated" | "unchanged" | "failed")[];
                warned?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                import_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "line": 2,
                     *           "outcome": "created",
                     *           "external_key": null,
                     *           "id": null,
                     *           "changes": [
                     *             "no example"
                     *           ],
                     *           "errors": [
                     *             {
                     *               "field": "rfid",
                     *               "code": "required",
                     *               "message": "tag rfid:E28011606000020A1B2C3D4E already exists",
                     *               "params": {}
                     *             }
                     *           ],
                     *           "warnings": [
                     *             {
                     *               "field": "barcode",
                     *               "code": "spreadsheet_number",
                     *               "message": "barcode \"8.71432E+12\" was rewritten by a spreadsheet"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ImportRowPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    exportFailedImportRows: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                import_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "text/csv; charset=utf-8": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    applyImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                import_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "resource": "assets",
                     *         "dry_run": true,
                     *         "state": "pending",
                     *         "rows_total": 0,
                     *         "rows_done": 0,
                     *         "created": 0,
                     *         "updated": 0,
                     *         "unchanged": 0,
                     *         "failed": 0,
                     *         "warned": 0,
                     *         "tags_removed": 0,
                     *         "encoding": "utf-8",
                     *         "empty_cells": "clear",
                     *         "first_names": [
                     *           "no example"
                     *         ],
                     *         "applied_from": null,
                     *         "ignored_columns": [
                     *           "no example"
                     *         ],
                     *         "created_by": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "started_at": null,
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ImportAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    exportAssets: {
        parameters: {
            query?: {
                /** @description Repeatable: one of the values matches. */
                id?: number[];
                /** @description Repeatable: one of the values matches. */
                external_key?: string[];
                /** @description Returns only active (`true`) or only inactive (`false`) rows. */
                is_active?: boolean;
                /** @description Repeatable: one of the values matches. */
                type?: ("asset" | "person" | "inventory")[];
                /** @description A tag as `<type>:<value>`, compared as a read is: `rfid` and `ble` ignore case, spaces, dashes and colons, `rfid` also `0x`, `barcode` white space at its ends. An EPC matches in hex and as a URN, a beacon in any spelling. Repeatable: one of the tags matches. */
                tag?: string[];
                /** @description Repeatable: one of the values matches. */
                home_location_id?: number[];
                /** @description `true` also returns deleted rows. */
                include_deleted?: boolean;
                window?: "current" | "any";
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `external_key`, `name`, `created_at`, `updated_at`. */
                sort?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "text/csv; charset=utf-8": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    exportLocations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "text/csv; charset=utf-8": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listAssetHistory: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `event_observed_at`. */
                sort?: string;
                /** @description Adds the thing itself to each row: id, external key and name, or null. Separated by commas: `asset`, `location`. CSV stays as it is. */
                expand?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "event_observed_at": "2026-11-21T08:30:00.000Z",
                     *           "location_id": 4503599627370513,
                     *           "location_external_key": "DOCK-1",
                     *           "duration_seconds": 86400
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["HistoryRowPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listAssetLocations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description The id of the asset. Repeatable: one of the values matches. */
                asset_id?: number[];
                /** @description Repeatable: one of the values matches. */
                asset_external_key?: string[];
                /** @description The id of the location. Repeatable: one of the values matches. `none` alone: only assets without a location. */
                location_id?: (number | "none")[];
                /** @description Repeatable: one of the values matches. */
                location_external_key?: string[];
                /** @description Requires a location filter. `true` also returns assets at live sub-locations, at any depth. */
                include_descendants?: boolean;
                /** @description RFC 3339 timestamp with any offset. Returns only assets whose `asset_last_seen` lies before it. */
                not_seen_since?: string;
                /** @description Repeatable: one of the values matches. */
                home_location_id?: number[];
                /** @description `true` returns only assets that are not at their home or below it, `false` only those that are. Assets without a home or without a location are neither. */
                misplaced?: boolean;
                /** @description `true` also returns deleted rows. */
                include_deleted?: boolean;
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description RFC 3339 timestamp with any offset. Returns where each asset was at that time, according to its history. Includes assets that were valid, not deleted and already scanned at that time. The dwell is null. Responds with 400 if the time is before the oldest history that is kept. */
                at?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `asset_last_seen`, `asset_external_key`, `location_external_key`. */
                sort?: string;
                /** @description Adds the thing itself to each row: id, external key and name, or null. Separated by commas: `asset`, `location`, `home`. CSV stays as it is. */
                expand?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "asset_id": 4503599627370497,
                     *           "asset_external_key": "FORKLIFT-7",
                     *           "location_id": 4503599627370513,
                     *           "location_external_key": "DOCK-1",
                     *           "asset_deleted_at": null,
                     *           "asset_last_seen": "2026-11-21T10:00:00.000Z",
                     *           "dwell_started_at": "2026-11-21T08:30:00.000Z",
                     *           "dwell_seconds": 5400
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AssetLocationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listCurrentLocations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the values matches. */
                location?: string[];
                /** @description Repeatable: one of the values matches. */
                asset?: string[];
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `last_seen`, `asset`, `location`. */
                sort?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "asset": "FORKLIFT-7",
                     *           "location": "DOCK-1",
                     *           "last_seen": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentLocationPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listSightings: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the asset. */
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "observed_at": "2026-11-21T10:00:00.000Z",
                     *           "location": null,
                     *           "decided_by": null,
                     *           "location_key": null,
                     *           "tag": null,
                     *           "reader": null,
                     *           "antenna": null,
                     *           "scan_point": null,
                     *           "outvoted": [
                     *             {
                     *               "location": null,
                     *               "reader_key": "no example",
                     *               "rssi": null,
                     *               "reads": 1
                     *             }
                     *           ],
                     *           "carried_from": null,
                     *           "duration_seconds": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1,
                     *       "waiting": null
                     *     }
                     */
                    "application/json": components["schemas"]["SightingPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listOccupancy: {
        parameters: {
            query: {
                /** @description The id of the location. Repeatable: one of the values matches. */
                location_id: number[];
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "location_id": 4503599627370497,
                     *           "here": 0,
                     *           "inside": 0
                     *         }
                     *       ],
                     *       "total": 0,
                     *       "nowhere": 0
                     *     }
                     */
                    "application/json": components["schemas"]["OccupancyList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listUnsteadyAssets: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "asset": {
                     *             "id": 4503599627370497,
                     *             "external_key": "FORKLIFT-7",
                     *             "name": "Forklift 7"
                     *           },
                     *           "reason": "flapping",
                     *           "locations": [
                     *             {
                     *               "id": 4503599627370513,
                     *               "external_key": "DOCK-1",
                     *               "name": "Dock 1"
                     *             },
                     *             {
                     *               "id": 4503599627370529,
                     *               "external_key": "SHELF-2",
                     *               "name": "Shelf 2"
                     *             }
                     *           ],
                     *           "movements": 12,
                     *           "last_at": "2026-11-21T08:30:00.000Z",
                     *           "setting": {
                     *             "margin_db": 6,
                     *             "exit_delay_seconds": 120
                     *           }
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["UnsteadyAssetRowPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listLocationUses: {
        parameters: {
            query: {
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "from": "2026-11-21T10:00:00.000Z",
                     *         "to": "2026-11-21T10:00:00.000Z",
                     *         "locations": [
                     *           {
                     *             "location_id": 4503599627370497,
                     *             "arrivals": 0,
                     *             "dwell_seconds": 0,
                     *             "most_assets": 0
                     *           }
                     *         ],
                     *         "is_cut": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationUsesAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    playMovements: {
        parameters: {
            query: {
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "from": "2026-11-21T10:00:00.000Z",
                     *         "to": "2026-11-21T10:00:00.000Z",
                     *         "assets": [
                     *           1
                     *         ],
                     *         "types": [
                     *           "asset"
                     *         ],
                     *         "locations": [
                     *           1
                     *         ],
                     *         "start": {
                     *           "asset": [
                     *             1
                     *           ],
                     *           "location": [
                     *             1
                     *           ]
                     *         },
                     *         "moves": {
                     *           "seconds": [
                     *             1
                     *           ],
                     *           "asset": [
                     *             1
                     *           ],
                     *           "location": [
                     *             1
                     *           ]
                     *         },
                     *         "is_cut": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PlaybackAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listMovements: {
        parameters: {
            query?: {
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
                /** @description The id of the asset. Repeatable: one of the values matches. */
                asset_id?: number[];
                /** @description The id of the location. Repeatable: a movement from or to one of these locations matches. */
                location_id?: number[];
                /** @description `true` also returns movements from and to live sub-locations of `location_id`, at any depth. Without `location_id` it has no effect. */
                include_descendants?: boolean;
                /** @description Repeatable: movements of assets that are of one of these types now, or were when they were deleted. */
                type?: ("asset" | "person" | "inventory")[];
                /** @description The `cursor` of the page before. Send it with the same filters. Without it: the newest movements. */
                after?: string;
                /** @description Maximum number of rows on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "occurred_at": "2026-11-21T08:30:00.000Z",
                     *           "asset": {
                     *             "id": 4503599627370497,
                     *             "external_key": "FORKLIFT-7",
                     *             "name": "Forklift 7"
                     *           },
                     *           "from_location": {
                     *             "id": 4503599627370513,
                     *             "external_key": "DOCK-1",
                     *             "name": "Dock 1"
                     *           },
                     *           "to_location": {
                     *             "id": 4503599627370529,
                     *             "external_key": "SHELF-2",
                     *             "name": "Shelf 2"
                     *           },
                     *           "dwell_seconds": 5400
                     *         }
                     *       ],
                     *       "cursor": null,
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["MovementPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    summarizeMovements: {
        parameters: {
            query?: {
                /** @description RFC 3339 timestamp with any offset. Defaults to 24 hours before `to`. At most 31 days before `to`. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is exclusive. Defaults to now. */
                to?: string;
                /** @description The id of the location. */
                location_id?: number;
                include_descendants?: boolean;
                /** @description The id of the asset. Repeatable: one of the values matches. */
                asset_id?: number[];
                /** @description Repeatable: movements of assets that are of one of these types now, or were when they were deleted. */
                type?: ("asset" | "person" | "inventory")[];
                /** @description Steps start at multiples of it since 1970. At most 1 000 of them. */
                step_seconds?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "from": "2026-11-21T10:00:00.000Z",
                     *         "to": "2026-11-21T10:00:00.000Z",
                     *         "hours": [
                     *           {
                     *             "hour": "2026-11-21T10:00:00.000Z",
                     *             "moves": 0,
                     *             "in": 0,
                     *             "out": 0,
                     *             "within": 0
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MovementSummaryAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listVisits: {
        parameters: {
            query?: {
                /** @description RFC 3339 timestamp with any offset. Visits that ended before it are left out. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. Visits that began after it are left out. */
                to?: string;
                /** @description The id of the asset. Repeatable: one of the values matches. */
                asset_id?: number[];
                /** @description The id of the location. Repeatable: one of the values matches. */
                location_id?: number[];
                /** @description `true`: a stay at a live sub-location of a `location_id` is part of a visit of the nearest of them. Without `location_id` it has no effect. */
                include_descendants?: boolean;
                /** @description Repeatable: assets that are of one of these types now, or were when they were deleted. */
                asset_type?: ("asset" | "person" | "inventory")[];
                /** @description Only visits of this many seconds or more. */
                min_seconds?: number;
                /** @description `true`: visits that have not ended. `false`: visits that have. */
                open?: boolean;
                /** @description A longer pause between two scans ends a visit at the scan before it. */
                max_silence_seconds?: number;
                /** @description The `cursor` of the page before. Send it with the same filters. Without it: the newest visits. */
                after?: string;
                /** @description Maximum number of rows on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "asset": {
                     *             "id": 4503599627370497,
                     *             "external_key": "FORKLIFT-7",
                     *             "name": "Forklift 7"
                     *           },
                     *           "location": {
                     *             "id": 4503599627370513,
                     *             "external_key": "DOCK-1",
                     *             "name": "Dock 1"
                     *           },
                     *           "started_at": "2026-11-21T08:30:00.000Z",
                     *           "ended_at": "2026-11-21T10:00:00.000Z",
                     *           "seconds": 5400,
                     *           "last_seen_at": "2026-11-21T09:59:00.000Z",
                     *           "ended_by": "moved"
                     *         }
                     *       ],
                     *       "cursor": null,
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["VisitPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    reportVisits: {
        parameters: {
            query: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description What visits are added up by. */
                group_by: "location" | "asset" | "asset_type" | "day";
                /** @description RFC 3339 timestamp with any offset. Defaults to 7 days before `to`. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. Defaults to now. At most 92 days after `from`. */
                to?: string;
                /** @description The id of the asset. Repeatable: one of the values matches. */
                asset_id?: number[];
                /** @description The id of the location. Repeatable: one of the values matches. */
                location_id?: number[];
                /** @description `true`: a stay at a live sub-location of a `location_id` is part of a visit of the nearest of them. Without `location_id` it has no effect. */
                include_descendants?: boolean;
                /** @description Repeatable: assets that are of one of these types now, or were when they were deleted. */
                asset_type?: ("asset" | "person" | "inventory")[];
                /** @description `over_limit` counts the visits that are longer. Without it, `over_limit` is null. */
                limit_seconds?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "group": {
                     *             "id": 4503599627370513,
                     *             "external_key": "DOCK-1",
                     *             "name": "Dock 1"
                     *           },
                     *           "visits": 12,
                     *           "assets": 7,
                     *           "seconds_total": 64800,
                     *           "seconds_median": 5400,
                     *           "seconds_p95": 9000,
                     *           "over_limit": 2
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["VisitReportRowPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listExports: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "dataset": "history",
                     *           "format": "csv",
                     *           "from": null,
                     *           "to": null,
                     *           "status": "queued",
                     *           "progress": 1,
                     *           "rows": 1440,
                     *           "bytes": 5120,
                     *           "problem": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "finished_at": null,
                     *           "expires_at": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ExportPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dataset": "history",
                 *       "format": "parquet"
                 *     }
                 */
                "application/json": components["schemas"]["ExportCreate"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "dataset": "history",
                     *         "format": "parquet",
                     *         "from": null,
                     *         "to": null,
                     *         "status": "queued",
                     *         "progress": 1,
                     *         "rows": 1440,
                     *         "bytes": 5120,
                     *         "problem": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "finished_at": null,
                     *         "expires_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ExportAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the export. */
                export_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "dataset": "history",
                     *         "format": "csv",
                     *         "from": null,
                     *         "to": null,
                     *         "status": "queued",
                     *         "progress": 1,
                     *         "rows": 1440,
                     *         "bytes": 5120,
                     *         "problem": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "finished_at": null,
                     *         "expires_at": null,
                     *         "files": [
                     *           {
                     *             "name": "history-2026-11-21.parquet",
                     *             "day": null,
                     *             "rows": 1440,
                     *             "bytes": 5120,
                     *             "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "url": "/api/v1/exports/4503599627370497/files/history-2026-11-21.parquet?signature=mK1b0v5sYyq3h1wqk0kq4m2Yx0o8o1o0bqkq1m2Yx0o"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ExportDetailAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the export. */
                export_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    downloadExportFile: {
        parameters: {
            query?: {
                /** @description The signature of the link. */
                signature?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of what you have. If nothing has changed, the API responds with 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The id of the export. */
                export_id: number;
                /** @description The name of the file. */
                file_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "application/gzip": string;
                    /** @example no example */
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description Nothing has changed since the response with the `ETag` that you sent. Without a body. */
            304: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            404: components["responses"]["Error404"];
            416: components["responses"]["Error416"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    streamMovements: {
        parameters: {
            query?: {
                /** @description Same as the header `Last-Event-ID`. The header wins if both are sent. */
                last_event_id?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listRecentMovements: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "from": "2026-11-21T10:00:00.000Z",
                     *         "to": "2026-11-21T10:00:00.000Z",
                     *         "last_event_id": "no example",
                     *         "steps": [
                     *           {
                     *             "at": "2026-11-21T10:00:00.000Z",
                     *             "moves": 0
                     *           }
                     *         ],
                     *         "movements": [
                     *           {
                     *             "delivery_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *             "occurred_at": "2026-11-21T10:00:00.000Z",
                     *             "asset": {
                     *               "id": 4503599627370497,
                     *               "external_key": "no example",
                     *               "name": "no example"
                     *             },
                     *             "from_location": null,
                     *             "to_location": {
                     *               "id": 4503599627370497,
                     *               "name": "no example"
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /**
                             * Format: date-time
                             * @example 2026-11-21T10:00:00.000Z
                             */
                            from: string;
                            /**
                             * Format: date-time
                             * @example 2026-11-21T10:00:00.000Z
                             */
                            to: string;
                            last_event_id: string;
                            steps: {
                                /**
                                 * Format: date-time
                                 * @example 2026-11-21T10:00:00.000Z
                                 */
                                at: string;
                                moves: number;
                            }[];
                            movements: {
                                /** Format: uuid */
                                delivery_id: string;
                                /**
                                 * Format: date-time
                                 * @example 2026-11-21T10:00:00.000Z
                                 */
                                occurred_at: string;
                                asset: {
                                    /**
                                     * Format: int64
                                     * @example 4503599627370497
                                     */
                                    id: number;
                                    external_key: string;
                                    name: string;
                                };
                                from_location: {
                                    /**
                                     * Format: int64
                                     * @example 4503599627370497
                                     */
                                    id: number;
                                    name: string;
                                } | null;
                                to_location: {
                                    /**
                                     * Format: int64
                                     * @example 4503599627370497
                                     */
                                    id: number;
                                    name: string;
                                };
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    saveInventory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "asset_identifiers": [
                 *         "FORKLIFT-7",
                 *         "PALLET-0031"
                 *       ],
                 *       "location_identifier": "DOCK-1"
                 *     }
                 */
                "application/json": components["schemas"]["InventorySave"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "count": 2,
                     *         "location_id": 4503599627370513,
                     *         "location_name": "Dock 1",
                     *         "timestamp": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InventorySavedAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the values matches. */
                kind?: ("entered" | "left" | "not_seen_for" | "stayed_longer_than" | "missing_at" | "away_from_home" | "reader_silent")[];
                /** @description Those that are switched on, or off. */
                enabled?: boolean;
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `name`, `created_at`, `updated_at`, `open_alerts`. */
                sort?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370500,
                     *           "name": "Pallets that stay in Receiving",
                     *           "kind": "stayed_longer_than",
                     *           "enabled": true,
                     *           "severity": "warning",
                     *           "scope": {
                     *             "asset_ids": [],
                     *             "asset_types": [
                     *               "inventory"
                     *             ],
                     *             "metadata": {},
                     *             "location_ids": [
                     *               4503599627370498
                     *             ],
                     *             "include_descendants": true,
                     *             "reader_ids": []
                     *           },
                     *           "params": {
                     *             "seconds": 14400
                     *           },
                     *           "for_seconds": 0,
                     *           "schedule": {
                     *             "days": [
                     *               1,
                     *               2,
                     *               3,
                     *               4,
                     *               5
                     *             ],
                     *             "from": "06:00",
                     *             "to": "22:00"
                     *           },
                     *           "notify": {
                     *             "event": true,
                     *             "email": [
                     *               "admins"
                     *             ],
                     *             "chat": [],
                     *             "remind_minutes": null
                     *           },
                     *           "problem": null,
                     *           "open_alerts": 2,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["RulePage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createRule: {
        parameters: {
            query?: {
                /** @description What is already true is raised, up to 1000 alerts. `true`: also if there are more. `false`: only what happens from now on. */
                raise_existing?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
                /** @description Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same name has the first response again, with `Idempotent-Replayed: true`, and changes nothing. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Inventory not seen for a day",
                 *       "kind": "not_seen_for",
                 *       "scope": {
                 *         "asset_types": [
                 *           "inventory"
                 *         ]
                 *       },
                 *       "params": {
                 *         "seconds": 86400
                 *       },
                 *       "schedule": {
                 *         "days": [
                 *           1,
                 *           2,
                 *           3,
                 *           4,
                 *           5
                 *         ],
                 *         "from": "06:00",
                 *         "to": "22:00"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RuleCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370500,
                     *         "name": "Inventory not seen for a day",
                     *         "kind": "not_seen_for",
                     *         "enabled": true,
                     *         "severity": "warning",
                     *         "scope": {
                     *           "asset_ids": [],
                     *           "asset_types": [
                     *             "inventory"
                     *           ],
                     *           "metadata": {},
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true,
                     *           "reader_ids": []
                     *         },
                     *         "params": {
                     *           "seconds": 86400
                     *         },
                     *         "for_seconds": 0,
                     *         "schedule": {
                     *           "days": [
                     *             1,
                     *             2,
                     *             3,
                     *             4,
                     *             5
                     *           ],
                     *           "from": "06:00",
                     *           "to": "22:00"
                     *         },
                     *         "notify": {
                     *           "event": true,
                     *           "email": [
                     *             "admins"
                     *           ],
                     *           "chat": [],
                     *           "remind_minutes": null
                     *         },
                     *         "problem": null,
                     *         "open_alerts": 2,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RuleAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the rule. */
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370500,
                     *         "name": "Pallets that stay in Receiving",
                     *         "kind": "stayed_longer_than",
                     *         "enabled": true,
                     *         "severity": "warning",
                     *         "scope": {
                     *           "asset_ids": [],
                     *           "asset_types": [
                     *             "inventory"
                     *           ],
                     *           "metadata": {},
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true,
                     *           "reader_ids": []
                     *         },
                     *         "params": {
                     *           "seconds": 14400
                     *         },
                     *         "for_seconds": 0,
                     *         "schedule": {
                     *           "days": [
                     *             1,
                     *             2,
                     *             3,
                     *             4,
                     *             5
                     *           ],
                     *           "from": "06:00",
                     *           "to": "22:00"
                     *         },
                     *         "notify": {
                     *           "event": true,
                     *           "email": [
                     *             "admins"
                     *           ],
                     *           "chat": [],
                     *           "remind_minutes": null
                     *         },
                     *         "problem": null,
                     *         "open_alerts": 2,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RuleAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the rule. */
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateRule: {
        parameters: {
            query?: {
                /** @description What is already true is raised, up to 1000 alerts. `true`: also if there are more. `false`: only what happens from now on. */
                raise_existing?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the rule. */
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["RuleUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370500,
                     *         "name": "Pallets that stay in Receiving",
                     *         "kind": "stayed_longer_than",
                     *         "enabled": false,
                     *         "severity": "warning",
                     *         "scope": {
                     *           "asset_ids": [],
                     *           "asset_types": [
                     *             "inventory"
                     *           ],
                     *           "metadata": {},
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true,
                     *           "reader_ids": []
                     *         },
                     *         "params": {
                     *           "seconds": 14400
                     *         },
                     *         "for_seconds": 0,
                     *         "schedule": {
                     *           "days": [
                     *             1,
                     *             2,
                     *             3,
                     *             4,
                     *             5
                     *           ],
                     *           "from": "06:00",
                     *           "to": "22:00"
                     *         },
                     *         "notify": {
                     *           "event": true,
                     *           "email": [
                     *             "admins"
                     *           ],
                     *           "chat": [],
                     *           "remind_minutes": null
                     *         },
                     *         "problem": null,
                     *         "open_alerts": 2,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RuleAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    testRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the rule. */
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "email": [
                     *           {
                     *             "to": "ada@example.com",
                     *             "mail": "sent"
                     *           }
                     *         ],
                     *         "chat": [
                     *           {
                     *             "kind": "slack",
                     *             "status_code": 200,
                     *             "error": null
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RuleTestAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    previewRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rule": {
                 *         "name": "Inventory not seen for a day",
                 *         "kind": "not_seen_for",
                 *         "scope": {
                 *           "asset_types": [
                 *             "inventory"
                 *           ]
                 *         },
                 *         "params": {
                 *           "seconds": 86400
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RulePreviewRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "now": {
                     *           "count": 1,
                     *           "subjects": [
                     *             {
                     *               "type": "asset",
                     *               "id": 4503599627370497,
                     *               "external_key": "PALLET-7",
                     *               "name": "Pallet 7"
                     *             }
                     *           ]
                     *         },
                     *         "past": {
                     *           "count": 1,
                     *           "alerts": [
                     *             {
                     *               "subject": {
                     *                 "type": "asset",
                     *                 "id": 4503599627370497,
                     *                 "external_key": "PALLET-7",
                     *                 "name": "Pallet 7"
                     *               },
                     *               "location": {
                     *                 "id": 4503599627370498,
                     *                 "external_key": "RECEIVING",
                     *                 "name": "Receiving"
                     *               },
                     *               "raised_at": "2026-11-21T14:00:00.000Z",
                     *               "resolved_at": null,
                     *               "resolved_because": null
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RulePreviewAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the states matches. Repeatable: one of the values matches. */
                state?: ("raised" | "acknowledged" | "resolved")[];
                /** @description Repeatable: one of the values matches. */
                severity?: ("info" | "warning" | "critical")[];
                /** @description Repeatable: one of the values matches. */
                rule_id?: number[];
                /** @description The id of the asset. Repeatable: one of the values matches. */
                asset_id?: number[];
                /** @description Repeatable: one of the values matches. */
                reader_id?: number[];
                /** @description The id of the location. Repeatable: one of the values matches. */
                location_id?: number[];
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370501,
                     *           "rule": {
                     *             "id": 4503599627370500,
                     *             "name": "Pallets that stay in Receiving",
                     *             "kind": "stayed_longer_than",
                     *             "severity": "warning"
                     *           },
                     *           "subject": {
                     *             "type": "asset",
                     *             "id": 4503599627370497,
                     *             "external_key": "PALLET-7",
                     *             "name": "Pallet 7"
                     *           },
                     *           "location": {
                     *             "id": 4503599627370498,
                     *             "external_key": "RECEIVING",
                     *             "name": "Receiving"
                     *           },
                     *           "state": "acknowledged",
                     *           "note": "On my way",
                     *           "raised_at": "2026-11-21T14:00:00.000Z",
                     *           "acknowledged_at": "2026-11-21T14:05:00.000Z",
                     *           "acknowledged_by": {
                     *             "type": "user",
                     *             "id": 4503599627370502,
                     *             "name": "Ada"
                     *           },
                     *           "resolved_at": null,
                     *           "resolved_because": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the alert. */
                alert_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370501,
                     *         "rule": {
                     *           "id": 4503599627370500,
                     *           "name": "Pallets that stay in Receiving",
                     *           "kind": "stayed_longer_than",
                     *           "severity": "warning"
                     *         },
                     *         "subject": {
                     *           "type": "asset",
                     *           "id": 4503599627370497,
                     *           "external_key": "PALLET-7",
                     *           "name": "Pallet 7"
                     *         },
                     *         "location": {
                     *           "id": 4503599627370498,
                     *           "external_key": "RECEIVING",
                     *           "name": "Receiving"
                     *         },
                     *         "state": "acknowledged",
                     *         "note": "On my way",
                     *         "raised_at": "2026-11-21T14:00:00.000Z",
                     *         "acknowledged_at": "2026-11-21T14:05:00.000Z",
                     *         "acknowledged_by": {
                     *           "type": "user",
                     *           "id": 4503599627370502,
                     *           "name": "Ada"
                     *         },
                     *         "resolved_at": null,
                     *         "resolved_because": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AlertAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the alert. */
                alert_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "On my way"
                 *     }
                 */
                "application/json": {
                    note?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370501,
                     *         "rule": {
                     *           "id": 4503599627370500,
                     *           "name": "Pallets that stay in Receiving",
                     *           "kind": "stayed_longer_than",
                     *           "severity": "warning"
                     *         },
                     *         "subject": {
                     *           "type": "asset",
                     *           "id": 4503599627370497,
                     *           "external_key": "PALLET-7",
                     *           "name": "Pallet 7"
                     *         },
                     *         "location": {
                     *           "id": 4503599627370498,
                     *           "external_key": "RECEIVING",
                     *           "name": "Receiving"
                     *         },
                     *         "state": "acknowledged",
                     *         "note": "On my way",
                     *         "raised_at": "2026-11-21T14:00:00.000Z",
                     *         "acknowledged_at": "2026-11-21T14:05:00.000Z",
                     *         "acknowledged_by": {
                     *           "type": "user",
                     *           "id": 4503599627370502,
                     *           "name": "Ada"
                     *         },
                     *         "resolved_at": null,
                     *         "resolved_because": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AlertAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    acknowledgeAlerts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         4503599627370497
                 *       ]
                 *     }
                 */
                "application/json": {
                    ids: number[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "count": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AcknowledgedAlertsAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listReaders: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                configured?: boolean;
                /** @description Repeatable: one of the values matches. */
                status?: ("online" | "degraded" | "silent" | "never_heard")[];
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description The id of the location. Repeatable: one of the values matches. */
                location_id?: number[];
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `reader_key`, `name`, `last_seen_at`, `reads_per_minute`, `severity`. */
                sort?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": null,
                     *           "reader_key": "no example",
                     *           "name": null,
                     *           "format": null,
                     *           "timezone": null,
                     *           "time_source": "reader",
                     *           "configured": true,
                     *           "created_at": null,
                     *           "location_ids": [
                     *             4503599627370497
                     *           ],
                     *           "health": {
                     *             "status": "online",
                     *             "last_seen_at": null,
                     *             "identity": null,
                     *             "messages": 1,
                     *             "reads": 1,
                     *             "reads_per_minute": 1,
                     *             "reads_unknown_tag": 1,
                     *             "reads_unplaced": 1,
                     *             "reads_clock_skewed": 1,
                     *             "reads_late": 1,
                     *             "reads_too_weak": 1,
                     *             "reads_outvoted": 1,
                     *             "reads_lost": 1,
                     *             "read_errors": 1,
                     *             "messages_buried": 1,
                     *             "messages_over_rate": 1,
                     *             "clock_offset_ms": null,
                     *             "clock": "ok",
                     *             "replaced": null,
                     *             "two_devices": null,
                     *             "last_problem": null,
                     *             "last_problem_at": null,
                     *             "last_problem_message": null,
                     *             "messages_last_hour": 1,
                     *             "problems_last_hour": 1,
                     *             "reads_last_hour": 1,
                     *             "reads_by_hour": [
                     *               1
                     *             ],
                     *             "device": [
                     *               {
                     *                 "kind": "no example",
                     *                 "at": null,
                     *                 "received_at": "2026-11-21T10:00:00.000Z",
                     *                 "detail": {}
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ListedReaderPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createReader: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reader_key": "dock-1",
                 *       "name": "no example",
                 *       "format": "canonical",
                 *       "time_source": "reader"
                 *     }
                 */
                "application/json": components["schemas"]["ReaderCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": null,
                     *         "reader_key": "dock-1",
                     *         "name": "no example",
                     *         "format": "canonical",
                     *         "timezone": null,
                     *         "time_source": "reader",
                     *         "mapping": null,
                     *         "configured": true,
                     *         "created_at": null,
                     *         "location_ids": [
                     *           4503599627370497
                     *         ],
                     *         "health": {
                     *           "status": "online",
                     *           "last_seen_at": null,
                     *           "identity": null,
                     *           "messages": 1,
                     *           "reads": 1,
                     *           "reads_per_minute": 1,
                     *           "reads_unknown_tag": 1,
                     *           "reads_unplaced": 1,
                     *           "reads_clock_skewed": 1,
                     *           "reads_late": 1,
                     *           "reads_too_weak": 1,
                     *           "reads_outvoted": 1,
                     *           "reads_lost": 1,
                     *           "read_errors": 1,
                     *           "messages_buried": 1,
                     *           "messages_over_rate": 1,
                     *           "clock_offset_ms": null,
                     *           "clock": "ok",
                     *           "replaced": null,
                     *           "two_devices": null,
                     *           "last_problem": null,
                     *           "last_problem_at": null,
                     *           "last_problem_message": null,
                     *           "messages_last_hour": 1,
                     *           "problems_last_hour": 1,
                     *           "reads_last_hour": 1,
                     *           "reads_by_hour": [
                     *             1
                     *           ],
                     *           "device": [
                     *             {
                     *               "kind": "no example",
                     *               "at": null,
                     *               "received_at": "2026-11-21T10:00:00.000Z",
                     *               "detail": {}
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getReader: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": null,
                     *         "reader_key": "no example",
                     *         "name": null,
                     *         "format": null,
                     *         "timezone": null,
                     *         "time_source": "reader",
                     *         "mapping": null,
                     *         "configured": true,
                     *         "created_at": null,
                     *         "location_ids": [
                     *           4503599627370497
                     *         ],
                     *         "health": {
                     *           "status": "online",
                     *           "last_seen_at": null,
                     *           "identity": null,
                     *           "messages": 1,
                     *           "reads": 1,
                     *           "reads_per_minute": 1,
                     *           "reads_unknown_tag": 1,
                     *           "reads_unplaced": 1,
                     *           "reads_clock_skewed": 1,
                     *           "reads_late": 1,
                     *           "reads_too_weak": 1,
                     *           "reads_outvoted": 1,
                     *           "reads_lost": 1,
                     *           "read_errors": 1,
                     *           "messages_buried": 1,
                     *           "messages_over_rate": 1,
                     *           "clock_offset_ms": null,
                     *           "clock": "ok",
                     *           "replaced": null,
                     *           "two_devices": null,
                     *           "last_problem": null,
                     *           "last_problem_at": null,
                     *           "last_problem_message": null,
                     *           "messages_last_hour": 1,
                     *           "problems_last_hour": 1,
                     *           "reads_last_hour": 1,
                     *           "reads_by_hour": [
                     *             1
                     *           ],
                     *           "device": [
                     *             {
                     *               "kind": "no example",
                     *               "at": null,
                     *               "received_at": "2026-11-21T10:00:00.000Z",
                     *               "detail": {}
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteReader: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateReader: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "no example",
                 *       "format": "canonical",
                 *       "time_source": "reader"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["ReaderUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": null,
                     *         "reader_key": "no example",
                     *         "name": "no example",
                     *         "format": "canonical",
                     *         "timezone": null,
                     *         "time_source": "reader",
                     *         "mapping": null,
                     *         "configured": true,
                     *         "created_at": null,
                     *         "location_ids": [
                     *           4503599627370497
                     *         ],
                     *         "health": {
                     *           "status": "online",
                     *           "last_seen_at": null,
                     *           "identity": null,
                     *           "messages": 1,
                     *           "reads": 1,
                     *           "reads_per_minute": 1,
                     *           "reads_unknown_tag": 1,
                     *           "reads_unplaced": 1,
                     *           "reads_clock_skewed": 1,
                     *           "reads_late": 1,
                     *           "reads_too_weak": 1,
                     *           "reads_outvoted": 1,
                     *           "reads_lost": 1,
                     *           "read_errors": 1,
                     *           "messages_buried": 1,
                     *           "messages_over_rate": 1,
                     *           "clock_offset_ms": null,
                     *           "clock": "ok",
                     *           "replaced": null,
                     *           "two_devices": null,
                     *           "last_problem": null,
                     *           "last_problem_at": null,
                     *           "last_problem_message": null,
                     *           "messages_last_hour": 1,
                     *           "problems_last_hour": 1,
                     *           "reads_last_hour": 1,
                     *           "reads_by_hour": [
                     *             1
                     *           ],
                     *           "device": [
                     *             {
                     *               "kind": "no example",
                     *               "at": null,
                     *               "received_at": "2026-11-21T10:00:00.000Z",
                     *               "detail": {}
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listReaderHours: {
        parameters: {
            query?: {
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "hour": "2026-11-21T10:00:00.000Z",
                     *           "messages": 1,
                     *           "problems": 1,
                     *           "reads": 1,
                     *           "mean_rssi_dbm": null,
                     *           "clock_offset_ms": null,
                     *           "antennas": [
                     *             {
                     *               "antenna": null,
                     *               "reads": 1,
                     *               "mean_rssi_dbm": null
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderHourList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listScanPoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "antenna": 1,
                     *           "name": "no example",
                     *           "location_id": null,
                     *           "location_external_key": null,
                     *           "min_rssi_dbm": null,
                     *           "rssi_offset_db": 1
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ScanPointPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createScanPoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "antenna": 1,
                 *       "name": "no example",
                 *       "rssi_offset_db": -40
                 *     }
                 */
                "application/json": components["schemas"]["ScanPointCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "antenna": 1,
                     *         "name": "no example",
                     *         "location_id": null,
                     *         "location_external_key": null,
                     *         "min_rssi_dbm": null,
                     *         "rssi_offset_db": -40
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ScanPointAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteScanPoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
                scan_point_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateScanPoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
                scan_point_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "antenna": 1,
                 *       "name": "no example",
                 *       "rssi_offset_db": -40
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["ScanPointUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "antenna": 1,
                     *         "name": "no example",
                     *         "location_id": null,
                     *         "location_external_key": null,
                     *         "min_rssi_dbm": null,
                     *         "rssi_offset_db": -40
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ScanPointAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listReaderMessages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "received_at": "2026-11-21T10:00:00.000Z",
                     *           "via": "nats",
                     *           "subject": "scans.42.dock-1.canonical",
                     *           "size": 1,
                     *           "head": "{\"reads\":[{}]}",
                     *           "problems": [
                     *             {
                     *               "pointer": "/reads/0/tag",
                     *               "code": "missing_tag",
                     *               "detail": "There is no tag here, so the read is ignored."
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderMessageList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    streamReads: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no example */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    decodeReaderMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": {
                 *         "reads": [
                 *           {
                 *             "tag": {
                 *               "type": "rfid",
                 *               "value": "E28011606000020A1B2C3D4E"
                 *             }
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DecodeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "reads": [
                     *           {
                     *             "tag": {
                     *               "tag_type": "rfid",
                     *               "value": "E28011606000020A1B2C3D4E"
                     *             },
                     *             "antenna": 1,
                     *             "location_key": null,
                     *             "read_at": "2026-11-21T10:00:00.000Z",
                     *             "rssi": -52,
                     *             "asset": {
                     *               "id": 4503599627370497,
                     *               "external_key": "PUMP-17",
                     *               "name": "Pump 17"
                     *             },
                     *             "location": {
                     *               "id": 4503599627370499,
                     *               "external_key": "DOCK-1",
                     *               "name": "Dock 1"
                     *             },
                     *             "outcome": "scan"
                     *           }
                     *         ],
                     *         "problems": [
                     *           {
                     *             "pointer": "/reads/0/tag",
                     *             "code": "missing_tag",
                     *             "detail": "There is no tag here, so the read is ignored."
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DecodedMessageAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listReaderPresets: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "no example",
                     *           "name": "no example",
                     *           "devices": "no example",
                     *           "source": "no example",
                     *           "topic": "no example",
                     *           "mapping": {
                     *             "reads": "/tags",
                     *             "beacon": "/id",
                     *             "tag": "/epc",
                     *             "tag_type": "rfid",
                     *             "tag_format": "hex",
                     *             "antenna": "/epc",
                     *             "location": "/epc",
                     *             "count": "/epc",
                     *             "rssi": "/epc",
                     *             "rssi_unit": "dBm",
                     *             "time": "/epc",
                     *             "time_format": "iso",
                     *             "zone": "/epc",
                     *             "event": "/epc",
                     *             "read_events": [
                     *               "no example"
                     *             ],
                     *             "heartbeat_events": [
                     *               "no example"
                     *             ],
                     *             "identity": "/epc",
                     *             "also": [
                     *               {
                     *                 "reads": "/tags",
                     *                 "beacon": "/id",
                     *                 "tag": "/epc",
                     *                 "tag_type": "rfid",
                     *                 "tag_format": "hex",
                     *                 "antenna": "/epc",
                     *                 "location": "/epc",
                     *                 "count": "/epc",
                     *                 "rssi": "/epc",
                     *                 "rssi_unit": "dBm",
                     *                 "time": "/epc",
                     *                 "time_format": "iso",
                     *                 "zone": "/epc",
                     *                 "event": "/epc",
                     *                 "read_events": [
                     *                   "no example"
                     *                 ],
                     *                 "heartbeat_events": [
                     *                   "no example"
                     *                 ]
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderPresetList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    sendReaderMessage: {
        parameters: {
            query?: {
                /** @description With `true`, returns what would become of the message, and stores nothing. Needs a key that is bound to the reader. */
                check?: boolean;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The key of the reader, as in the topic over MQTT. The reader need not exist yet. */
                reader_key: string;
                /** @description How to read the message: the format of the vendor, `canonical` or `mapping`. */
                format: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reads": [
                 *         {
                 *           "tag": {
                 *             "type": "rfid",
                 *             "value": "E28011606000020A1B2C3D4E"
                 *           },
                 *           "antenna": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What would become of it, with `check=true` */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "reads": [
                     *           {
                     *             "tag": {
                     *               "tag_type": "rfid",
                     *               "value": "E28011606000020A1B2C3D4E"
                     *             },
                     *             "antenna": 1,
                     *             "location_key": null,
                     *             "read_at": "2026-11-21T10:00:00.000Z",
                     *             "rssi": -52,
                     *             "asset": {
                     *               "id": 4503599627370497,
                     *               "external_key": "PUMP-17",
                     *               "name": "Pump 17"
                     *             },
                     *             "location": {
                     *               "id": 4503599627370499,
                     *               "external_key": "DOCK-1",
                     *               "name": "Dock 1"
                     *             },
                     *             "outcome": "scan"
                     *           }
                     *         ],
                     *         "problems": [
                     *           {
                     *             "pointer": "/reads/0/tag",
                     *             "code": "missing_tag",
                     *             "detail": "There is no tag here, so the read is ignored."
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DecodedMessageAnswer"];
                };
            };
            /** @description Success, without a body */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listMessagesOfKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The key of the reader, as in the topic over MQTT. The reader need not exist yet. */
                reader_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "received_at": "2026-11-21T10:00:00.000Z",
                     *           "via": "nats",
                     *           "subject": "scans.42.dock-1.canonical",
                     *           "size": 1,
                     *           "head": "{\"reads\":[{}]}",
                     *           "problems": [
                     *             {
                     *               "pointer": "/reads/0/tag",
                     *               "code": "missing_tag",
                     *               "detail": "There is no tag here, so the read is ignored."
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReaderMessageList"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    sendTestRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tag_type": "rfid",
                 *       "value": "E28011606000020A1B2C3D4E",
                 *       "antenna": 1
                 *     }
                 */
                "application/json": components["schemas"]["TestRead"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "published_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TestReadSentAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listUnknownTags: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
                /** @description Repeatable: one of the values matches. */
                tag_type?: ("rfid" | "ble" | "barcode")[];
                /** @description The key of the reader, as in the topic over MQTT. The reader need not exist yet. Repeatable: one of the values matches. */
                reader_key?: string[];
                min_reads?: number;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                seen_since?: string;
                /** @description Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning. */
                q?: string;
                /** @description Fields separated by commas. A leading `-` sorts in descending order. Empty: the default order. Fields: `last_seen_at`, `first_seen_at`, `reads`, `value`. */
                sort?: string;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "tag_type": "rfid",
                     *           "value": "no example",
                     *           "epc": null,
                     *           "ibeacon": null,
                     *           "first_seen_at": "2026-11-21T10:00:00.000Z",
                     *           "last_seen_at": "2026-11-21T10:00:00.000Z",
                     *           "reads": 1,
                     *           "reader_key": "no example",
                     *           "antenna": 1,
                     *           "rssi_dbm": null
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["UnknownTagPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    claimUnknownTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tag_type": "rfid",
                 *       "value": "no example",
                 *       "asset_id": 4503599627370497,
                 *       "asset_external_key": "FORKLIFT-7",
                 *       "location_id": 4503599627370497,
                 *       "location_external_key": "FORKLIFT-7"
                 *     }
                 */
                "application/json": components["schemas"]["UnknownTagClaim"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "tag_type": "rfid",
                     *         "value": "no example",
                     *         "epc": null,
                     *         "asset_id": 4503599627370497,
                     *         "asset_external_key": "FORKLIFT-7",
                     *         "location_id": 4503599627370497,
                     *         "location_external_key": "FORKLIFT-7"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ClaimedTagAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteUnknownTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                unknown_tag_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The `cursor` of the answer before, or `now`: only what happens from here on. Without it: from the oldest event that is kept. */
                after?: string;
                /** @description Repeatable: one of the values matches. */
                type?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished" | "webhook.failing" | "webhook.recovered" | "webhook.disabled")[];
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Seconds to wait for the first event, if there is none yet. Default 0. */
                wait?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a",
                     *           "type": "asset.deleted",
                     *           "occurred_at": "2026-11-21T08:30:00.000Z",
                     *           "recorded_at": "2026-11-21T08:30:00.120Z",
                     *           "data": {
                     *             "asset": {
                     *               "id": 4503599627370497,
                     *               "external_key": "FORKLIFT-7",
                     *               "name": "Forklift 7"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "cursor": "MTAwMS4xMjM",
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            410: components["responses"]["Error410"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "url": "https://receiver.example/whereabouts",
                     *           "enabled": true,
                     *           "secret": "whsec_…9e77",
                     *           "event_types": [
                     *             "asset.moved"
                     *           ],
                     *           "retry": "standard",
                     *           "filter": {
                     *             "asset_types": [
                     *               "asset"
                     *             ],
                     *             "location_ids": [
                     *               4503599627370498
                     *             ],
                     *             "include_descendants": true
                     *           },
                     *           "primary": true,
                     *           "health": "ok",
                     *           "disabled_because": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://receiver.example/whereabouts",
                 *       "enabled": true,
                 *       "event_types": [
                 *         "asset.moved"
                 *       ],
                 *       "retry": "standard"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @example https://receiver.example/whereabouts
                     */
                    url: string;
                    enabled?: boolean;
                    event_types?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished")[];
                    /** @enum {string} */
                    retry?: "standard" | "extended";
                    filter?: components["schemas"]["WebhookFilterInput"] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://receiver.example/whereabouts",
                 *       "enabled": true,
                 *       "event_types": [
                 *         "asset.moved"
                 *       ],
                 *       "retry": "standard"
                 *     }
                 */
                "application/merge-patch+json": {
                    /**
                     * Format: uri
                     * @example https://receiver.example/whereabouts
                     */
                    url?: string;
                    enabled?: boolean;
                    event_types?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished")[];
                    /** @enum {string} */
                    retry?: "standard" | "extended";
                    filter?: components["schemas"]["WebhookFilterInput"] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "status_code": null,
                     *         "error": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTestAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "delivery_id": "8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a",
                     *           "attempt": 1,
                     *           "attempted_at": "2026-11-21T10:00:00.000Z",
                     *           "outcome": "delivered",
                     *           "status_code": null,
                     *           "latency_ms": 1,
                     *           "error": null,
                     *           "test": true
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows on a page. */
                limit?: number;
                /** @description Number of rows to skip. A page past the end is empty. */
                offset?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 4503599627370497,
                     *           "url": "https://receiver.example/whereabouts",
                     *           "enabled": true,
                     *           "secret": "whsec_…9e77",
                     *           "event_types": [
                     *             "asset.moved"
                     *           ],
                     *           "retry": "standard",
                     *           "filter": {
                     *             "asset_types": [
                     *               "asset"
                     *             ],
                     *             "location_ids": [
                     *               4503599627370498
                     *             ],
                     *             "include_descendants": true
                     *           },
                     *           "primary": true,
                     *           "health": "ok",
                     *           "disabled_because": null,
                     *           "created_at": "2026-11-21T10:00:00.000Z",
                     *           "updated_at": "2026-11-21T10:00:00.000Z"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total_count": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://receiver.example/whereabouts",
                 *       "enabled": true,
                 *       "event_types": [
                 *         "asset.moved"
                 *       ],
                 *       "retry": "standard"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @example https://receiver.example/whereabouts
                     */
                    url: string;
                    enabled?: boolean;
                    event_types?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished")[];
                    /** @enum {string} */
                    retry?: "standard" | "extended";
                    filter?: components["schemas"]["WebhookFilterInput"] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://receiver.example/whereabouts",
                 *       "enabled": true,
                 *       "event_types": [
                 *         "asset.moved"
                 *       ],
                 *       "retry": "standard"
                 *     }
                 */
                "application/merge-patch+json": {
                    /**
                     * Format: uri
                     * @example https://receiver.example/whereabouts
                     */
                    url?: string;
                    enabled?: boolean;
                    event_types?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished")[];
                    /** @enum {string} */
                    retry?: "standard" | "extended";
                    filter?: components["schemas"]["WebhookFilterInput"] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    rotateWebhookEndpointSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": 4503599627370497,
                     *         "url": "https://receiver.example/whereabouts",
                     *         "enabled": true,
                     *         "secret": "whsec_…9e77",
                     *         "event_types": [
                     *           "asset.moved"
                     *         ],
                     *         "retry": "standard",
                     *         "filter": {
                     *           "asset_types": [
                     *             "asset"
                     *           ],
                     *           "location_ids": [
                     *             4503599627370498
                     *           ],
                     *           "include_descendants": true
                     *         },
                     *         "primary": true,
                     *         "health": "ok",
                     *         "disabled_because": null,
                     *         "created_at": "2026-11-21T10:00:00.000Z",
                     *         "updated_at": "2026-11-21T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "status_code": null,
                     *         "error": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTestAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-21T10:00:00.000Z",
                 *       "to": "2026-11-21T10:00:00.000Z",
                 *       "event_types": [
                 *         "asset.moved"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "count": 12,
                     *         "oldest_occurred_at": "2026-11-21T08:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReplayAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
                /** @description The id of the event. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    listEndpointDeliveries: {
        parameters: {
            query?: {
                /** @description Repeatable: one of the states matches. Repeatable: one of the values matches. */
                state?: ("waiting" | "delivered" | "failed" | "dropped")[];
                /** @description Repeatable: one of the values matches. */
                type?: ("asset.moved" | "asset.created" | "asset.updated" | "asset.deleted" | "location.created" | "location.updated" | "location.deleted" | "tag.attached" | "tag.detached" | "reader.silent" | "reader.online" | "alert.raised" | "alert.resolved" | "import.finished" | "webhook.failing" | "webhook.recovered" | "webhook.disabled")[];
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                from?: string;
                /** @description RFC 3339 timestamp with any offset. The bound is inclusive. */
                to?: string;
                /** @description The `cursor` of the page before. Send it with the same filters. Without it: the newest events. */
                after?: string;
                /** @description Maximum number of rows on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "delivery_id": "5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77",
                     *           "type": "asset.moved",
                     *           "occurred_at": "2026-11-21T08:30:00.000Z",
                     *           "state": "failed",
                     *           "next_attempt_at": null,
                     *           "last": {
                     *             "at": "2026-11-21T08:30:01.000Z",
                     *             "status_code": 500,
                     *             "error": "answered 500",
                     *             "latency_ms": 84
                     *           },
                     *           "attempts": 3
                     *         }
                     *       ],
                     *       "cursor": null,
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["EndpointDeliveryPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getEndpointDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
                /** @description The id of the event. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "delivery_id": "5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77",
                     *         "type": "asset.moved",
                     *         "occurred_at": "2026-11-21T08:30:00.000Z",
                     *         "state": "failed",
                     *         "next_attempt_at": null,
                     *         "last": {
                     *           "at": "2026-11-21T08:30:01.000Z",
                     *           "status_code": 500,
                     *           "error": "answered 500",
                     *           "latency_ms": 84
                     *         },
                     *         "body": {
                     *           "event": "asset.moved"
                     *         },
                     *         "attempts": [
                     *           {
                     *             "at": "2026-11-21T08:30:01.000Z",
                     *             "status_code": 500,
                     *             "error": "answered 500",
                     *             "latency_ms": 84
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EndpointDeliveryDetailAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    replayEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-21T10:00:00.000Z",
                 *       "to": "2026-11-21T10:00:00.000Z",
                 *       "event_types": [
                 *         "asset.moved"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "count": 12,
                     *         "oldest_occurred_at": "2026-11-21T08:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReplayAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    resendEndpointDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
                /** @description The id of the event. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
    getEndpointStats: {
        parameters: {
            query?: {
                hours?: number;
            };
            header?: {
                /** @description Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID. */
                "X-Request-ID"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id of the webhook. */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "waiting": 1,
                     *         "failing_since": null,
                     *         "hours": [
                     *           {
                     *             "hour": "2026-11-21T10:00:00.000Z",
                     *             "delivered": 1,
                     *             "failed": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            waiting: number;
                            /**
                             * Format: date-time
                             * @example 2026-11-21T10:00:00.000Z
                             */
                            failing_since: string | null;
                            hours: {
                                /**
                                 * Format: date-time
                                 * @example 2026-11-21T10:00:00.000Z
                                 */
                                hour: string;
                                delivered: number;
                                failed: number;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["AnyError"];
        };
    };
}
