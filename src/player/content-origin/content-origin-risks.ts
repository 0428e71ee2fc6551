import { isIP } from 'node:net';
import type { Settings } from '../../settings/settings-table.ts';

/** Country domains are often divided, such as `co.uk` and `com.au`. Organizations register names below these parts. */
const DIVIDED_COUNTRY = /^(?:ac|co|com|edu|go|gob|gov|ne|net|or|org)\.[a-z]{2}$/;

/**
 * The security risks of the content origin's URL, one sentence each. Courses are third-party programs. Cookies ignore
 * ports, every host can set some for its whole domain, and pages of the same origin can read each other's data in the
 * browser.
 * @param contentUrl the URL by which learners' browsers reach the content origin
 */
export function contentOriginRisks({ base_url }: Pick<Settings, 'base_url'>, contentUrl: string): string[] {
  // Only its own machine reaches a service without a base URL. It is being tried out.
  if (base_url === null) return [];
  const content = new URL(contentUrl.replace('{launch}', 'launch'));
  const risks: string[] = [];
  const { hostname } = new URL(base_url);
  const domain = domainOf(hostname);
  if (content.hostname === hostname) {
    risks.push(
      `courses are served from ${contentUrl}, which has the host name of base_url: browsers send the admin UI's cookie ` +
        'with requests that courses make, and courses can set cookies for it. Set content_base_url to a host name in another domain',
    );
  } else if (domain !== null && domainOf(content.hostname) === domain) {
    risks.push(
      `courses are served from ${contentUrl}, which belongs to the same domain ${domain} as base_url: a course can set so ` +
        'many cookies for the domain that the browser cannot open the admin UI until they are deleted. ' +
        'Set content_base_url to a host name in another domain',
    );
  }
  if (!contentUrl.includes('{launch}')) {
    risks.push(
      `all launches share the origin ${contentUrl}: a course can read and change what another one keeps in the same browser. ` +
        'Set content_base_url to an address with {launch} in its host name',
    );
  }
  return risks;
}

/**
 * The domain for which a host can set cookies, or null. Browsers find it in the Public Suffix List. The last two labels,
 * or three in divided countries, are the same for nearly all domains.
 */
function domainOf(hostname: string): string | null {
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return null;
  const labels = hostname.replace(/\.$/, '').split('.');
  const count = DIVIDED_COUNTRY.test(labels.slice(-2).join('.')) ? 3 : 2;
  return labels.length < count ? null : labels.slice(-count).join('.');
}
