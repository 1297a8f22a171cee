/** A function that only reads one of the tables that are distributed: its head, and its one statement. */
const READ = /LANGUAGE sql STABLE (ROWS \d+) AS \$\$\n\s*([^]*?)\s*\$\$/
const TABLE = /\bFROM (treatment|sleep_reading|reading_day|event|survey) (\w+)/
const ROWS = /\bSETOF (treatment|sleep_reading|reading_day|event|event_version|survey)\b/

/**
 * The text of a function of one machine for a database whose tables are distributed. It returns rows of a type that outlives the
 * table, and knows no indexes that begin with the month. One that only reads such a table looks for the records of a child in the
 * shards of the devices that the child has worn, and refuses a snapshot from before the table came back to one machine.
 */
export function rewriteForDistributedTables(text: string): string {
  const own = text
    .replaceAll(/\s+AND may_(?:be_dated_between|have_same_date)\([^()]*\)/g, '')
    .replace(ROWS, 'SETOF $1_row')
  const [found, count, statement = ''] = READ.exec(own) ?? []
  const [, table, alias] = TABLE.exec(statement) ?? []
  if (found === undefined || table === undefined || alias === undefined) return own
  const query = `RETURN QUERY ${statement};`
  const ofChild = `WHERE ${alias}.real_user_id = child`
  const isByDevice = table === 'treatment' && query.includes(ofChild)
  return own.replace(
    found,
    () => `LANGUAGE plpgsql ${count} AS $$
${isByDevice ? 'DECLARE\n  worn_device int;\n' : ''}BEGIN
  ${
    isByDevice
      ? `FOR worn_device IN SELECT w.device_id FROM worn w WHERE w.wearer_id = child ORDER BY w.device_id LOOP
    ${query.replace(ofChild, `WHERE ${alias}.device_id = worn_device AND ${alias}.real_user_id = child`)}
  END LOOP;`
      : query
  }
  PERFORM assert_snapshot_sees_table('${table}');
END $$`,
  )
}
