-- Sets a new password where the current one is still p_current, and ends the account's other sessions and all links that set
-- one. False: the password is another one by now, or the account is gone.
create function engine.change_password(
  p_now timestamptz, p_user uuid, p_current text, p_new text, p_session uuid
) returns boolean language plpgsql as $$
begin
  if not engine.lock_account(p_user) then return false; end if;
  update account set password = p_new, updated_at = engine.clock(p_now)
   where user_id = p_user and provider_id = 'credential' and password = p_current;
  if not found then return false; end if;
  delete from session where user_id = p_user and id <> p_session;
  delete from password_reset where user_id = p_user;
  return true;
end
$$;

-- Stores a link that sets a new password. False: no such account, or p_max of its links work already.
create function engine.begin_password_reset(
  p_now timestamptz, p_email text, p_digest text, p_lifetime interval, p_max integer
) returns boolean language plpgsql as $$
declare
  v_user uuid;
  v_now timestamptz;
begin
  select id into v_user from "user" where email = p_email;
  if not found or not engine.lock_account(v_user) then return false; end if;
  v_now := engine.clock(p_now);
  insert into password_reset (token_digest, user_id, expires_at)
  select p_digest, v_user, v_now + p_lifetime
   where (select count(*) from password_reset where user_id = v_user and expires_at > v_now) < p_max;
  return found;
end
$$;

-- Sets a new password by a link that works; spends all links of the account and ends all its sessions. Null: the link doesn't
-- work (any more), and nothing changed.
create function engine.reset_password(p_now timestamptz, p_digest text, p_new text) returns uuid language plpgsql as $$
declare
  v_user uuid;
begin
  select user_id into v_user from password_reset where token_digest = p_digest;
  if not found or not engine.lock_account(v_user) then return null; end if;
  -- Looked at again under the lock: of two at once the other one may have spent it.
  perform 1 from password_reset where token_digest = p_digest and expires_at > engine.clock(p_now);
  if not found then return null; end if;
  update account set password = p_new, updated_at = engine.clock(p_now)
   where user_id = v_user and provider_id = 'credential';
  delete from session where user_id = v_user;
  delete from password_reset where user_id = v_user;
  return v_user;
end
$$;
