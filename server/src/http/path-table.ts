/** The entry for a path, with the values of the path's parameters. */
export interface PathMatch<Served> {
  served: Served
  parameters: Readonly<Record<string, string>>
}

/**
 * Returns a function that finds the entry for a path. A fixed path takes one step and precedes paths with parameters,
 * such as `/device/{device_id}`; a parameter matches one segment. Case and a trailing slash matter.
 */
export function pathTable<Served>(
  paths: Iterable<readonly [path: string, served: Served]>,
): (path: string) => PathMatch<Served> | undefined {
  const fixed = new Map<string, PathMatch<Served>>()
  const patterns: { pattern: RegExp; served: Served }[] = []
  for (const [path, served] of paths) {
    if (!path.includes('{')) fixed.set(path, { served, parameters: {} })
    else {
      const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
      patterns.push({ pattern, served })
    }
  }
  return (path) => fixed.get(path) ?? findByPattern(path)

  function findByPattern(path: string): PathMatch<Served> | undefined {
    for (const { pattern, served } of patterns) {
      const values = pattern.exec(path)?.groups
      const parameters = values && decoded(values)
      if (parameters) return { served, parameters }
    }
    return undefined
  }
}

/** Decodes path parameters; undefined if one is not valid URL encoding, in which case the path is not found. */
function decoded(values: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    return undefined
  }
}
