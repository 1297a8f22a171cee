-- Reads that came again within their minute, on their way to the rows of the trail that count them: docs/decisions/trail.md. A
-- process writes one row each half second.
CREATE TABLE trail_repeat (
  id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Milliseconds since 1970, actor_kind, actor, operation, real_user_id and outcome, separated by U+001F.
  reads text[] NOT NULL,
  -- How often each.
  times int[] NOT NULL
);
