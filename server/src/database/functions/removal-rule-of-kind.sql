-- What `remove_old` removes by kind: the table and its owners, whose rows the shard that a column tells holds; the column that names
-- the owner and the one of the date; which of the rows, in an index, of `r` before `$3`; and of what those who watch a child
-- are told, with the id that names the row, and its date.
CREATE OR REPLACE FUNCTION removal_rule_of_kind(kind text, OUT rows text, OUT owners text, OUT shard text, OUT owner text, OUT date text,
  OUT which text, OUT told text, OUT id text, OUT day text) LANGUAGE sql STABLE AS $$
  SELECT k.rows, k.owners, k.shard, k.owner, k.date, k.which, k.told, k.id, k.day FROM (VALUES
    ('treatments', 'treatment', 'real_user', 'device_id', 'real_user_id', 'treatment_date',
      'r.deleted_at IS NULL AND may_be_dated_between(r.treatment_date, ''-infinity'', $3)', 'treatment.deleted', 'r.id', 'r.treatment_date::date'),
    ('deleted_treatments', 'treatment', 'real_user', 'device_id', 'real_user_id', 'treatment_date', 'r.deleted_at IS NOT NULL', NULL, 'r.id', 'NULL::date'),
    ('treatment_shifts', 'shifted_devlog', 'real_user', 'real_user_id', 'real_user_id', 'date', 'r.date < $3', NULL, 'r.shift_id', 'NULL::date'),
    -- A plan that another had followed by then judges none of the nights that are kept.
    ('plans', 'plan', 'real_user', 'real_user_id', 'real_user_id', 'from_date',
      'EXISTS (SELECT FROM plan p WHERE p.real_user_id = r.real_user_id AND p.from_date > r.from_date AND p.from_date <= $3)', NULL, 'r.id', 'NULL::date'),
    ('reading_days', 'reading_day', 'basestation', 'basestation_id', 'basestation_id', 'date', 'true', NULL, 'r.date - ''2000-01-01''::date', 'NULL::date'),
    ('past_reading_days', 'past_reading_day', 'real_user', 'real_user_id', 'real_user_id', 'date', 'true', NULL, 'r.date - ''2000-01-01''::date', 'NULL::date'),
    ('events', 'event', 'real_user', 'real_user_id', 'real_user_id', 'event_date', 'true', 'note.deleted', 'r.id', 'r.event_date'),
    ('surveys', 'survey', 'real_user', 'real_user_id', 'real_user_id', 'created_at', 'true', 'survey.deleted', 'r.id', 'NULL::date')
  ) AS k (kind, rows, owners, shard, owner, date, which, told, id, day) WHERE k.kind = removal_rule_of_kind.kind
$$;
