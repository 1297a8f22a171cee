-- Whether a record of this date can lie within [since, until), as far as an index tells by months. On a table whose indexes do not
-- begin with the month (docs/decisions/months-in-indexes.md) any can, and nothing is left of the call in a plan.
CREATE OR REPLACE FUNCTION may_be_dated_between(date timestamp, since timestamp, until timestamp) RETURNS boolean
  LANGUAGE sql STABLE AS 'SELECT true';
