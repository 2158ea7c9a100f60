-- What every function of the engine begins with.

-- The time a statement works with: the one a test has set, else the database's own. Not now(), which stands
-- still from the transaction's start: after waiting for a lock, a lease must be judged by the time it is then.
create function engine.clock(p_now timestamptz) returns timestamptz language sql volatile as $$
  select coalesce(p_now, clock_timestamp())
$$;

-- The same for one statement that waits for no lock before it looks: fixed at the statement's start, so that an index on a
-- time can serve it.
create function engine.now(p_now timestamptz) returns timestamptz language sql stable as $$
  select coalesce(p_now, statement_timestamp())
$$;

-- When maintenance tries an item again that it takes now, after p_try_count tries: a minute, 2, 4 … at most six hours. Set
-- before the try, so that one that fails, hangs or ends its round blocks no other.
create function engine.try_again_at(p_now timestamptz, p_try_count integer) returns timestamptz language sql stable as $$
  select p_now + least(interval '1 minute' * power(2, least(p_try_count, 10)), interval '6 hours')
$$;

-- The first lock of every transaction that moves a slot, a quota or credits. False: there is no such account (any more).
-- One order everywhere: this row, then files, then tasks, each in id order.
create function engine.lock_account(p_user uuid) returns boolean language plpgsql as $$
begin
  perform 1 from "user" where id = p_user for no key update;
  return found;
end
$$;
