import type { EnvironmentBounds } from '../config/alerts.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The bounds outside which a base station's reading alerts the parent. */
    environmentBounds: EnvironmentBounds
  }
}

const measures = ['temperature', 'humidity', 'brightness', 'noise'] as const

/** Returns the bounds as the statement below takes them: lowest and highest value of each measure in turn. */
export const boundsParameter = (bounds: EnvironmentBounds): number[] =>
  measures.flatMap((measure) => bounds[measure] ?? [-Infinity, Infinity])

const isOutside = (bounds: string) =>
  measures
    .map((measure, n) => `${measure} NOT BETWEEN (${bounds})[${2 * n + 1}] AND (${bounds})[${2 * n + 2}]`)
    .join(' OR ')

/**
 * Returns the part of a statement that alerts the owner, and the guardians of the owner's children, if the newly stored
 * readings in `stored` lie outside the `bounds` parameter. It alerts each person once per base station and date, because a
 * room that is too warm stays so for a while.
 */
export const alertOutside = (stored: string, bounds: string) => `
  INSERT INTO alert (channel, kind, cause, root_user_id, basestation_id)
  SELECT DISTINCT 'push', 'basestation_environment',
    md5('basestation ' || basestation_id || ' ' || u.id || to_char(measured_at, ' YYYYMMDD'))::uuid AS cause,
    u.id, basestation_id
  FROM ${stored}
  CROSS JOIN LATERAL (
    SELECT ${stored}.root_user_id AS id
    UNION
    -- Whether a membership is over by its last day is asked when the alert is sent.
    SELECT m.root_user_id FROM real_user r JOIN live_membership('-infinity') m ON m.real_user_id = r.id
    WHERE r.root_user_id = ${stored}.root_user_id AND r.deleted_at IS NULL AND m.role = 'guardian'
  ) person
  JOIN root_user u ON u.id = person.id
  WHERE u.is_basestation_alert_enabled AND (${isOutside(bounds)})
  ORDER BY cause
  ON CONFLICT DO NOTHING`
