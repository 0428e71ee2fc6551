import type { ClientCredentials } from './api-client.ts';
import type { Screen } from './screen.ts';

/** Shows what to look at and what to try while the service is running. */
export function guide(
  screen: Screen,
  {
    url,
    adminUrl,
    launchUrl,
    client,
    logFile,
  }: { url: string; adminUrl: string; launchUrl: string; client: ClientCredentials; logFile: string },
): void {
  screen.title('The service keeps running. Look around:');
  screen.facts({
    'admin UI': `${adminUrl} (choose a password; the link works once)`,
    'API reference': `${url}/docs`,
    'OpenAPI 3.1': `${url}/openapi.json`,
    metrics: `${url}/metrics`,
    readiness: `${url}/health/ready`,
    log: logFile,
    'client id': client.clientId,
    'client secret': client.clientSecret,
  });

  screen.title(
    'Take the course: open this link. The course ends with a quiz, and your results appear below:',
  );
  screen.gap();
  screen.line(launchUrl);

  screen.title('Call the API. In a second terminal, in this folder, get a token:');
  screen.gap();
  screen.line(`TOKEN=$(curl -s -u ${client.clientId}:${client.clientSecret} \\
  -d grant_type=client_credentials ${url}/public/v1/auth \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`);

  screen.title('Make a change. Its messages appear below:');
  screen.gap();
  screen.line(`curl ${url}/accounts -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '{ "name": "Contoso" }'`);

  screen.title('To receive messages yourself, start a receiver in a third terminal, in this folder:');
  screen.gap();
  screen.line('node examples/receiver/receiver.mjs --port 9000 --accept-anyone');

  screen.title('Create a webhook for it, in the second terminal, and make the change again:');
  screen.gap();
  screen.line(`curl ${url}/webhooks -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{ "name": "Mine", "topic": "ACCOUNT", "target_url": "http://127.0.0.1:9000/" }'`);

  screen.gap();
  screen.line(screen.style.good('Press Ctrl-C to stop.'));
  screen.gap();
}
