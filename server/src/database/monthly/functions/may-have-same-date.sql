-- Whether a record of this date can be one of the other date, as the indexes that begin with the month tell.
CREATE OR REPLACE FUNCTION may_have_same_date(date timestamp, other timestamp) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS 'SELECT calendar_month(date) = calendar_month(other)';
