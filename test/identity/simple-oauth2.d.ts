/** The parts of simple-oauth2 5 that the tests use. The library has no types. */
declare module 'simple-oauth2' {
  interface Options {
    client: { id: string; secret: string };
    auth: { tokenHost: string; tokenPath: string };
    options?: { authorizationMethod?: 'header' | 'body' };
  }
  export class ClientCredentials {
    constructor(options: Options);
    getToken(parameters: { scope?: string | string[] }): Promise<{ token: Record<string, unknown> }>;
  }
}
