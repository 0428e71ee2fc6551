/** The path of `base_url`, without a trailing slash. Empty if there is none. */
export function basePathOf(baseUrl: string | null): string {
  return baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/**
 * The target of a request as the routes know it, including the query. A proxy may keep or remove the path of
 * `base_url`: if the target starts with it, it is removed.
 */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target;
  const rest = target.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}

/** The first segment of a path: `webhooks` of `/webhooks/1`. */
export function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? '';
}
