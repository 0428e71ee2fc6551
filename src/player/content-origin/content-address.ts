const LAUNCH_LABEL = '{launch}';

/** What decides which host name a launch has, where launches have different ones. */
export interface LaunchIdentity {
  launchId: string;
  /** Null for a preview. */
  registrationId: string | null;
}

/**
 * Where learners' browsers reach the content origin: one host name for everything, or one for the launches of each
 * registration. Those share an origin so that what a closed tab could not send is found at the next launch.
 */
export class ContentAddress {
  readonly #read: () => string;

  /**
   * @param read answers an origin without a slash at its end, whose host name may begin with `{launch}.`; asked when an
   *   address is needed, since the port may be known only once it is listened on
   */
  constructor(read: () => string) {
    this.#read = read;
  }

  /** True when registrations have host names, and with them origins, of their own. */
  get isolatesLaunches(): boolean {
    return this.#read().includes(LAUNCH_LABEL);
  }

  /** What every address of a launch begins with, without a slash at its end. */
  urlOf(launch: LaunchIdentity, token: string): string {
    return `${this.#read().replace(LAUNCH_LABEL, labelOf(launch))}/${token}`;
  }

  /** Whether a request with this Host may open a launch. */
  belongsTo(host: string, launch: LaunchIdentity): boolean {
    if (!this.isolatesLaunches) return true;
    const authority = this.#read()
      .replace(/^https?:\/\//i, '')
      .toLowerCase();
    const expected = authority.replace(LAUNCH_LABEL, labelOf(launch));
    // A proxy may listen on another port than the one that browsers see.
    return host.toLowerCase().replace(/:\d+$/, '') === expected.replace(/:\d+$/, '');
  }
}

function labelOf({ launchId, registrationId }: LaunchIdentity): string {
  return (registrationId ?? launchId).replaceAll('-', '').toLowerCase();
}
