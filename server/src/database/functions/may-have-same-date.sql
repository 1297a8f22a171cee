-- Whether a record of this date can be one of the other date; see `may_be_dated_between`.
CREATE OR REPLACE FUNCTION may_have_same_date(date timestamp, other timestamp) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS 'SELECT true';
