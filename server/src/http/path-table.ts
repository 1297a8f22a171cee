/** What is served at a path, with the values of the parameters in that path. */
export interface Found<Served> {
  served: Served
  parameters: Readonly<Record<string, string>>
}

/**
 * Finds what is served at a path. A fixed path takes one step and comes before those with parameters, such as
 * `/device/{device_id}`, of which each stands for one segment. Case and a slash at the end count.
 */
export function pathTable<Served>(
  paths: Iterable<readonly [path: string, served: Served]>,
): (path: string) => Found<Served> | undefined {
  const fixed = new Map<string, Found<Served>>()
  const patterns: { pattern: RegExp; served: Served }[] = []
  for (const [path, served] of paths) {
    if (!path.includes('{')) fixed.set(path, { served, parameters: {} })
    else {
      const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
      patterns.push({ pattern, served })
    }
  }
  return (path) => fixed.get(path) ?? findByPattern(path)

  function findByPattern(path: string): Found<Served> | undefined {
    for (const { pattern, served } of patterns) {
      const values = pattern.exec(path)?.groups
      const parameters = values && decoded(values)
      if (parameters) return { served, parameters }
    }
    return undefined
  }
}

/** Undefined when a value is not encoded as a URL's must be, so that it names nothing. */
function decoded(values: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    return undefined
  }
}
