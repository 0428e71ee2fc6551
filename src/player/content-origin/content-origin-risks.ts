import type { Settings } from '../../settings/settings-table.ts';

/**
 * The security risks of the content origin's URL, one sentence each. Courses are third-party programs. Cookies ignore
 * ports, and pages of the same origin can read each other's data in the browser.
 * @param contentUrl the URL by which learners' browsers reach the content origin
 */
export function contentOriginRisks({ base_url }: Pick<Settings, 'base_url'>, contentUrl: string): string[] {
  // Only its own machine reaches a service without a base URL. It is being tried out.
  if (base_url === null) return [];
  const content = new URL(contentUrl.replace('{launch}', 'launch'));
  const risks: string[] = [];
  if (content.hostname === new URL(base_url).hostname) {
    risks.push(
      `courses are served from ${contentUrl}, which has the host name of base_url: browsers send the admin UI's cookie ` +
        'with requests that courses make, and courses can set cookies for it. Set content_base_url to a host name of its own',
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
