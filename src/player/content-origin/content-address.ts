const LAUNCH_LABEL = '{launch}';

/** Where learners' browsers reach the content origin: one host name for all launches, or one for each. */
export class ContentAddress {
  readonly #read: () => string;

  /**
   * @param read answers an origin without a slash at its end, whose host name may begin with `{launch}.`; asked when an
   *   address is needed, since the port may be known only once it is listened on
   */
  constructor(read: () => string) {
    this.#read = read;
  }

  /** True when each launch has a host name, and with it an origin, of its own. */
  get isolatesLaunches(): boolean {
    return this.#read().includes(LAUNCH_LABEL);
  }

  /** What every address of a launch begins with, without a slash at its end. */
  urlOf(launchId: string, token: string): string {
    return `${this.#read().replace(LAUNCH_LABEL, labelOf(launchId))}/${token}`;
  }

  /** Whether a request with this Host may open a launch. */
  belongsTo(host: string, launchId: string): boolean {
    if (!this.isolatesLaunches) return true;
    const authority = this.#read()
      .replace(/^https?:\/\//i, '')
      .toLowerCase();
    const expected = authority.replace(LAUNCH_LABEL, labelOf(launchId));
    // A proxy may listen on another port than the one that browsers see.
    return host.toLowerCase().replace(/:\d+$/, '') === expected.replace(/:\d+$/, '');
  }
}

function labelOf(launchId: string): string {
  return launchId.replaceAll('-', '');
}
