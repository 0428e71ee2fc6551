import type { LaunchTarget } from '../../course-packages/package-description.ts';
import { addressOfTarget } from '../course-runtime.ts';

/** The URL of a unit with the query parameters of its standard, which are inserted before any fragment. */
export function launchAddress(
  target: LaunchTarget,
  baseUrl: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const whole = addressOfTarget(target, baseUrl);
  const at = whole.indexOf('#');
  const address = at < 0 ? whole : whole.slice(0, at);
  const fragment = at < 0 ? '' : whole.slice(at);
  const added = Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${joint}${added}${fragment}`;
}
