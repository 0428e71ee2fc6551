/** What the tests use of simple-oauth2 5, which comes without types. */
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
