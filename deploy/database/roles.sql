-- One role per service that owns data, each with a schema of its own name and nothing beside it. Two more log in with the
-- same password and own nothing: `<service>_tenant` serves requests under row-level security, `<service>_worker` does what
-- concerns many organizations at once (ADR 38). Run in the database of the product by its administrator; may be run again.
-- Passwords come from the settings whereabouts.<role>_password.
-- Two deployments at once wait for each other (roles belong to the whole server, so an error could come from outside).

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
    execute format('grant %I to current_user with set true', service); -- an owner may only be a role one could become
    execute format('alter schema %I owner to %I', service, service);
    -- Statements name no schema: they find this one, what is installed below, and no other.
    execute format('alter role %I in database %I set search_path = %I, extensions', service, current_database(), service);
    foreach helper in array array[service || '_tenant', service || '_worker'] loop
      if not exists (select from pg_roles where rolname = helper) then
        execute format('create role %I', helper);
      end if;
      execute format('alter role %I login nocreatedb nocreaterole password %L', helper, password);
      execute format('alter role %I in database %I set search_path = %I, extensions', helper, current_database(), service);
      execute format('grant connect on database %I to %I', current_database(), helper);
      -- So that the owner sees their sessions, and the release before this one can still become the tenant.
      execute format('grant %I to %I with inherit true, set true', helper, service);
    end loop;
    execute format('grant connect, temporary on database %I to %I', current_database(), service);
  end loop;
  execute format('revoke all on database %I from public', current_database());
end $$;

revoke all on schema public from public;

-- Substring search within one organization. Only an administrator may install it; every role finds it behind its own
-- schema. (Earlier installations had it in the catalog's.)
create schema if not exists extensions;
grant usage on schema extensions to public;
create extension if not exists pg_trgm schema extensions;
create extension if not exists btree_gin schema extensions;
alter extension pg_trgm set schema extensions;
alter extension btree_gin set schema extensions;
