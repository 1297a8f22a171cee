-- Whether a record of this date can lie within [since, until), as the indexes that begin with the month tell.
CREATE OR REPLACE FUNCTION may_be_dated_between(date timestamp, since timestamp, until timestamp) RETURNS boolean
  LANGUAGE sql STABLE AS 'SELECT calendar_month(date) = ANY (calendar_months(since, until))';
