-- The month of a date, as the indexes of treatments count it: four weeks each, so that it takes a division to tell.
CREATE OR REPLACE FUNCTION calendar_month(date timestamp) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  'SELECT (date::date - ''2000-01-03''::date) / 28';
