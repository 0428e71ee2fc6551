/** The path of `base_url`, without a slash at its end: empty when there is none. */
export function basePathOf(baseUrl: string | null): string {
  return baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/**
 * The target of a request as the service's routes know it. A proxy may hand on the path of `base_url` or take it off: what
 * begins with it loses it, everything else stays. A query belongs to the target.
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
