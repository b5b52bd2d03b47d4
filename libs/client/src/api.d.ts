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
         * Exchange client credentials or a refresh token for an access token
         * @description No token needed. Not counted against the rate limit.
         */
        post: operations["issueToken"];
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
         * @description No token needed. Not counted against the rate limit.
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
         * @description No token needed. Not counted against the rate limit.
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
         * Rotate the tokens of a session
         * @description No token needed. Not counted against the rate limit.
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
         * @description No token needed. Not counted against the rate limit.
         */
        post: operations["logOut"];
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
         * Read the organization and scopes of the calling key
         * @description Any API key; no scope needed. Session tokens are refused. Not counted against the rate limit.
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
         * List the API keys of the organization, newest first
         * @description A signed-in administrator of the organization, or an API key with the scope `keys:admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Mint an API key; its secret is shown once
         * @description A signed-in administrator of the organization, or an API key with the scope `keys:admin`.
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
         * Revoke an API key, by its id or its jti
         * @description A signed-in administrator of the organization, or an API key with the scope `keys:admin`.
         */
        delete: operations["revokeApiKey"];
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
         * @description An API key with the scope `assets:read`, or a session.
         */
        get: operations["listAssets"];
        put?: never;
        /**
         * Create an asset
         * @description An API key with the scope `assets:write`, or a session. Not counted against the rate limit.
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
         * Read an asset
         * @description An API key with the scope `assets:read`, or a session.
         */
        get: operations["getAsset"];
        put?: never;
        post?: never;
        /**
         * Delete an asset and its tags
         * @description An API key with the scope `assets:write`, or a session. Not counted against the rate limit.
         */
        delete: operations["deleteAsset"];
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
         * @description An API key with the scope `locations:read`, or a session.
         */
        get: operations["listLocations"];
        put?: never;
        /**
         * Create a location
         * @description An API key with the scope `locations:write`, or a session. Not counted against the rate limit.
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
         * Read a location
         * @description An API key with the scope `locations:read`, or a session.
         */
        get: operations["getLocation"];
        put?: never;
        post?: never;
        /**
         * Delete a location without children, and its tags
         * @description An API key with the scope `locations:write`, or a session. Not counted against the rate limit.
         */
        delete: operations["deleteLocation"];
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
         * @description An API key with the scope `assets:write`, or a session. Not counted against the rate limit.
         */
        post: operations["attachAssetTag"];
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
         * @description An API key with the scope `assets:write`, or a session. Not counted against the rate limit.
         */
        delete: operations["detachAssetTag"];
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
         * @description An API key with the scope `locations:write`, or a session. Not counted against the rate limit.
         */
        post: operations["attachLocationTag"];
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
         * @description An API key with the scope `locations:write`, or a session. Not counted against the rate limit.
         */
        delete: operations["detachLocationTag"];
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
         * List where an asset has been, newest first, one row per minute
         * @description An API key with the scope `scans:read` (or its other name `tracking:read`), or a session.
         */
        get: operations["getAssetHistory"];
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
         * List where every scanned asset was last seen
         * @description An API key with the scope `scans:read` (or its other name `tracking:read`), or a session.
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
    "/api/v1/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List configured and discovered readers with their health
         * @description Any signed-in user. Not counted against the rate limit.
         */
        get: operations["listReaders"];
        put?: never;
        /**
         * Configure a reader
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a reader and its scan points
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
         */
        delete: operations["deleteReader"];
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
         * List the antennas of a reader and where they look
         * @description Any signed-in user. Not counted against the rate limit.
         */
        get: operations["listScanPoints"];
        put?: never;
        /**
         * Say where an antenna looks
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
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
         * Remove a scan point
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
         */
        delete: operations["deleteScanPoint"];
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
         * @description Any signed-in user. Not counted against the rate limit.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register the webhook; its secret is shown once
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
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
         * Read the webhook
         * @description Any signed-in user. Not counted against the rate limit.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Remove the webhook
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change the URL or the Deliver events toggle
         * @description A signed-in administrator of the organization. Not counted against the rate limit.
         */
        patch: operations["updateWebhook"];
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
         * List the recent delivery attempts, newest first
         * @description Any signed-in user. Not counted against the rate limit.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        TokenRequest: {
            /** @enum {string} */
            grant_type: "client_credentials" | "refresh_token";
            client_id?: string;
            client_secret?: string;
            refresh_token?: string;
        };
        ApiKeyCreate: {
            name: string;
            scopes: ("assets:read" | "assets:write" | "locations:read" | "locations:write" | "scans:read" | "scans:write" | "keys:admin" | "tracking:read")[];
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at?: string | null;
        };
        AssetCreate: {
            name: string;
            /** @example ASSET-0001 */
            external_key?: string;
            description?: string | null;
            /** @enum {string} */
            type?: "asset" | "person" | "inventory";
            metadata?: {
                [key: string]: unknown;
            };
            is_active?: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            tags?: components["schemas"]["TagCreate"][] | null;
            readonly location_id?: number;
            readonly location_external_key?: string;
        };
        TagCreate: {
            /** @enum {string} */
            tag_type: "rfid" | "ble" | "barcode";
            value: string;
        };
        LocationCreate: {
            name: string;
            /** @example ASSET-0001 */
            external_key?: string;
            description?: string | null;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            parent_id?: number | null;
            /** @example ASSET-0001 */
            parent_external_key?: string | null;
            is_active?: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to?: string | null;
            tags?: components["schemas"]["TagCreate"][] | null;
        };
        ReaderCreate: {
            /** @example dock-1 */
            reader_key: string;
            name: string;
            /** @enum {string} */
            format: "canonical" | "impinj" | "zebra";
        };
        ScanPointCreate: {
            antenna?: number;
            name: string;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            location_id?: number | null;
            /** @example ASSET-0001 */
            location_external_key?: string | null;
        };
        TokenPair: {
            access_token: string;
            refresh_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @example 900 */
            expires_in: number;
        };
        Error: {
            error: {
                /** @description Branch on this. New types may be added. */
                type: string;
                title: string;
                status: number;
                detail: string;
                /** @description The path of the request. */
                instance: string;
                /** @description Equal to the X-Request-ID header. */
                request_id: string;
                /** @description Present on validation_error: one entry per field. */
                fields?: components["schemas"]["FieldError"][];
            };
        };
        FieldError: {
            /** @example name */
            field: string;
            /** @example required */
            code: string;
            /** @example name is required */
            message: string;
            params?: {
                [key: string]: unknown;
            };
        };
        Session: {
            access_token: string;
            refresh_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @example 900 */
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
        User: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            name: string;
            email: string;
            /** @example admin */
            role: string;
        };
        CurrentOrganization: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            name: string;
            scopes: string[];
            /** Format: uuid */
            api_key_id: string;
        };
        ApiKey: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            /** Format: uuid */
            jti: string;
            name: string;
            scopes: string[];
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            created_by: number | null;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            created_by_key_id: number | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_used_at: string | null;
        };
        ApiKeyCreated: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            /** Format: uuid */
            jti: string;
            /** Format: uuid */
            client_id: string;
            client_secret: string;
            name: string;
            scopes: string[];
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            expires_at: string | null;
        };
        Asset: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            /** @example ASSET-0001 */
            external_key: string;
            /** @example Forklift 7 */
            name: string;
            description: string | null;
            /** @example asset */
            type: string;
            metadata: {
                [key: string]: unknown;
            };
            is_active: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at: string | null;
            tags: components["schemas"]["Tag"][];
        };
        Tag: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            /** @example rfid */
            tag_type: string;
            /** @example E28011606000020A1B2C3D4E */
            value: string;
        };
        Location: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            /** @example LOC-001 */
            external_key: string;
            /** @example Dock 1 */
            name: string;
            description: string | null;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            parent_id: number | null;
            parent_external_key: string | null;
            is_active: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_from: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            valid_to: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            deleted_at: string | null;
            tags: components["schemas"]["Tag"][];
        };
        HistoryRow: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            event_observed_at: string;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            location_id: number | null;
            location_external_key: string | null;
            duration_seconds: number | null;
        };
        AssetLocation: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            asset_id: number;
            asset_external_key: string;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            location_id: number | null;
            location_external_key: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            asset_deleted_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            asset_last_seen: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            dwell_started_at: string | null;
            dwell_seconds: number | null;
        };
        Reader: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number | null;
            reader_key: string;
            name: string | null;
            format: string | null;
            configured: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string | null;
            health: components["schemas"]["ReaderHealth"];
        };
        ReaderHealth: {
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_seen_at: string | null;
            identity: string | null;
            messages: number;
            reads: number;
            reads_unknown_tag: number;
            reads_unplaced: number;
            reads_clock_skewed: number;
            read_errors: number;
            messages_buried: number;
            last_problem: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            last_problem_at: string | null;
        };
        ScanPoint: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            antenna: number;
            name: string;
            /**
             * Format: int64
             * @example 4503599627370497
             */
            location_id: number | null;
            location_external_key: string | null;
        };
        Webhook: {
            /**
             * Format: int64
             * @example 4503599627370497
             */
            id: number;
            url: string;
            enabled: boolean;
            /** @description Whole at creation, afterwards masked to its last four characters. */
            secret: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            updated_at: string;
        };
        WebhookDelivery: {
            /** Format: uuid */
            delivery_id: string;
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-21T10:00:00.000Z
             */
            attempted_at: string;
            /** @example delivered */
            outcome: string;
            status_code: number | null;
            latency_ms: number;
            error: string | null;
        };
    };
    responses: {
        /** @description Validation failed or Bad request */
        Error400: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Authentication required */
        Error401: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Payload too large */
        Error413: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unsupported media type */
        Error415: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Rate limited */
        Error429: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal server error */
        Error500: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service unavailable */
        Error503: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict */
        Error409: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not found */
        Error404: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden */
        Error403: {
            headers: {
                "X-Request-ID": components["headers"]["X-Request-ID"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The request's id: the caller's own, or a ULID. */
        "X-Request-ID": string;
        "WWW-Authenticate": string;
        /** @description Seconds to wait. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
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
                    "application/json": components["schemas"]["TokenPair"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
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
                    "application/json": {
                        data: components["schemas"]["Session"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
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
                    "application/json": {
                        data: components["schemas"]["Session"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getCurrentOrg: {
        parameters: {
            query?: never;
            header?: never;
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
                    "application/json": {
                        data: components["schemas"]["CurrentOrganization"];
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
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
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKeyCreated"];
                    };
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
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: number;
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
        };
    };
    listAssets: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                external_key?: string[];
                is_active?: boolean;
                type?: ("asset" | "person" | "inventory")[];
                include_deleted?: boolean;
                q?: string;
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Asset"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createAsset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssetCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Asset"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Asset"];
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
        };
    };
    deleteAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listLocations: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                external_key?: string[];
                parent_id?: number[];
                parent_external_key?: string[];
                is_active?: boolean;
                include_deleted?: boolean;
                q?: string;
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Location"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createLocation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Location"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Location"];
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
        };
    };
    deleteLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                location_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    attachAssetTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"];
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    detachAssetTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: number;
                tag_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    attachLocationTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                location_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"];
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    detachLocationTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                location_id: number;
                tag_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getAssetHistory: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                from?: string;
                to?: string;
                sort?: string;
            };
            header?: never;
            path: {
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
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["HistoryRow"][];
                        limit: number;
                        offset: number;
                        total_count: number;
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
        };
    };
    listAssetLocations: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                asset_id?: number[];
                asset_external_key?: string[];
                location_id?: number[];
                location_external_key?: string[];
                include_deleted?: boolean;
                q?: string;
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Requests per minute. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left, never above the limit. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix second when Remaining next equals Limit. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AssetLocation"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listReaders: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
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
                    "application/json": {
                        data: components["schemas"]["Reader"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createReader: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReaderCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Reader"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteReader: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listScanPoints: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
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
                    "application/json": {
                        data: components["schemas"]["ScanPoint"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createScanPoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reader_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScanPointCreate"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScanPoint"];
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteScanPoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reader_id: number;
                scan_point_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
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
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uri */
                    url: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Path of what was created, where it can be read. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": {
                    /** Format: uri */
                    url?: string;
                    enabled?: boolean;
                };
                "application/json": {
                    /** Format: uri */
                    url?: string;
                    enabled?: boolean;
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
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
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
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        limit: number;
                        offset: number;
                        total_count: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
}
