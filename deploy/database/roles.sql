-- Each service that owns data has one role with one schema of the same name. Two more roles log in with the same password and
-- own nothing: `<service>_tenant` serves requests under row-level security, `<service>_worker` runs jobs for all organizations
-- (ADR 38). Run by an administrator in the database of the product. Safe to repeat. Passwords come from the settings
-- whereabouts.<role>_password. Two deployments at once wait for each other, because roles belong to the whole server.

select pg_advisory_xact_lock(hashtext('whereabouts roles'));

do $$
declare
  service text;
  helper text;
  password text;
begin
  foreach service in array array['gateway', 'catalog', 'tracking', 'keys', 'webhooks'] loop
    if not exists (select from pg_roles where rolname = service) then
      execute format('create role %I', service);
    end if;
    password := current_setting('whereabouts.' || service || '_password');
    execute format('alter role %I login nocreatedb nocreaterole password %L', service, password);
    execute format('create schema if not exists %I', service);
    execute format('grant %I to current_user with set true', service); -- only a role that we can become may own a schema
    execute format('alter schema %I owner to %I', service, service);
    -- Statements name no schema: the search path has this schema and the extensions, and no other.
    execute format('alter role %I in database %I set search_path = %I, extensions', service, current_database(), service);
    foreach helper in array array[service || '_tenant', service || '_worker'] loop
      if not exists (select from pg_roles where rolname = helper) then
        execute format('create role %I', helper);
      end if;
      execute format('alter role %I login nocreatedb nocreaterole password %L', helper, password);
      execute format('alter role %I in database %I set search_path = %I, extensions', helper, current_database(), service);
      execute format('grant connect on database %I to %I', current_database(), helper);
      -- The owner sees their sessions, and the previous release can still become the tenant.
      execute format('grant %I to %I with inherit true, set true', helper, service);
    end loop;
    execute format('grant connect, temporary on database %I to %I', current_database(), service);
  end loop;
  execute format('revoke all on database %I from public', current_database());
end $$;

revoke all on schema public from public;

-- Substring search within one organization. Only an administrator may install it; it is on every search path after the
-- schema of the role. (Older installations have it in the schema of catalog.)
create schema if not exists extensions;
grant usage on schema extensions to public;
create extension if not exists pg_trgm schema extensions;
create extension if not exists btree_gin schema extensions;
alter extension pg_trgm set schema extensions;
alter extension btree_gin set schema extensions;
