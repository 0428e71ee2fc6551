import type { Settings } from '../../settings/settings-table.ts';

/**
 * What the address of the content origin risks, a sentence each. Courses are programs of others. Cookies know host names
 * and no ports, and pages of one origin reach each other's data in the browser.
 * @param contentUrl where learners' browsers reach the content origin
 */
export function contentOriginRisks({ base_url }: Pick<Settings, 'base_url'>, contentUrl: string): string[] {
  // A service that only its own machine reaches is one that somebody tries out.
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
