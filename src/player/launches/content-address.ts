import type { PlayerLaunch } from './launch.ts';

const LAUNCH_LABEL = '{launch}';

/** The properties of a launch that determine its host name, if launches have different ones. */
type LaunchIdentity = Pick<PlayerLaunch, 'launchId' | 'registrationId'>;

/**
 * The URL at which learners' browsers reach the content origin: one host name for everything, or one per registration.
 * All launches of a registration share an origin. That way, the next launch finds the data that a closed tab did not
 * send.
 */
export class ContentAddress {
  readonly #read: () => string;

  /**
   * @param read returns an origin without a trailing slash. Its host name may begin with `{launch}.`. Called whenever a
   *   URL is needed, because the port may be unknown until the server listens
   */
  constructor(read: () => string) {
    this.#read = read;
  }

  /** The start of every URL of a launch, without a trailing slash. */
  urlOf(launch: LaunchIdentity, token: string): string {
    return `${this.#read().replace(LAUNCH_LABEL, labelOf(launch))}/${token}`;
  }

  /** Whether a request with this Host header field may open a launch. */
  belongsTo(host: string, launch: LaunchIdentity): boolean {
    const address = this.#read();
    if (!address.includes(LAUNCH_LABEL)) return true;
    const authority = address.replace(/^https?:\/\//i, '').toLowerCase();
    const expected = authority.replace(LAUNCH_LABEL, labelOf(launch));
    // A proxy may listen on a different port than the one that browsers use.
    return host.toLowerCase().replace(/:\d+$/, '') === expected.replace(/:\d+$/, '');
  }
}

function labelOf({ launchId, registrationId }: LaunchIdentity): string {
  return (registrationId ?? launchId).replaceAll('-', '').toLowerCase();
}
