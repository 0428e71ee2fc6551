import type { LaunchTarget } from '../../course-packages/package-description.ts';
import { addressOfTarget } from '../course-runtime.ts';

/** The URL of a unit with the query parameters of its standard, which are inserted before any fragment. */
export function launchAddress<Name extends string>(
  target: LaunchTarget,
  baseUrl: string,
  parameters: Readonly<Record<Name, string>>,
): string {
  const whole = addressOfTarget(target, baseUrl);
  const at = whole.indexOf('#');
  const address = at < 0 ? whole : whole.slice(0, at);
  const fragment = at < 0 ? '' : whole.slice(at);
  const added = Object.entries<string>(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${joint}${added}${fragment}`;
}

/** The names of the query parameters in {@link launchAddress}: those of the unit itself, and those of its standard. */
export function parametersOfAddress(
  target: LaunchTarget,
  ofStandard: readonly string[],
): ReadonlySet<string> {
  const query = target.kind === 'external' ? new URL(target.url).search : target.query;
  return new Set([...new URLSearchParams(query).keys(), ...ofStandard]);
}
