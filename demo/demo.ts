import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient, type ClientCredentials, requestToken } from './api-client.ts';
import { BrowserLearner } from './browser-learner.ts';
import { choosePort } from './choose-port.ts';
import { DemoFailure, Interrupted } from './failure.ts';
import { guide } from './guide.ts';
import { HttpLearner } from './http-learner.ts';
import { Inbox } from './inbox.ts';
import type { Learner } from './learner.ts';
import { ADMINISTRATOR_EMAIL, CLIENT_EMAIL, type Occurrence } from './occurrence.ts';
import type { DemoOptions } from './options.ts';
import type { Screen } from './screen.ts';
import { ServiceProcess } from './service-process.ts';
import { CUSTOMER, LEARNER, walk } from './steps.ts';
import {
  type DemoAccount,
  demoTargets,
  dueAtOnce,
  expectedOf,
  maxAttemptsOf,
  type Target,
  UNAUTHORIZED,
} from './targets.ts';
import { faultsOf, missingOf } from './verdict.ts';
import { PATIENCE_MS, pause } from './waiting.ts';
import { createWebhook, deadLettersOnceThere, type Standing, standingOf, type Webhook } from './webhooks.ts';

const HOST = '127.0.0.1';
const USUAL_PORT = 8080;
const RETRY_INITIAL_DELAY = '0.5';
const SHUTDOWN_TIMEOUT = '2';

/** Pause between steps, so that people can follow. */
const PACE_MS = 350;

/** Dependencies of the demo. */
export interface DemoContext {
  readonly screen: Screen;
  readonly options: DemoOptions;
  /** Aborted to end it. */
  readonly signal: AbortSignal;
  /** Whether a person watches. */
  readonly paced: boolean;
}

/**
 * Runs the demo in a fresh folder. Removes the folder afterwards, unless `keep` is set or the demo failed.
 * @throws {DemoFailure} if anything is not as expected; {Interrupted} if it was stopped before its end
 */
export async function runDemo(context: DemoContext): Promise<void> {
  const { options, screen, signal } = context;
  signal.addEventListener('abort', () => screen.title('Stopping'), { once: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'coursewire-demo-'));
  let keeps = options.keep;
  try {
    await new Demo(context, folder).run();
  } catch (error) {
    keeps ||= !(error instanceof Interrupted);
    throw error;
  } finally {
    if (!keeps) await rm(folder, { recursive: true, force: true });
    screen.gap();
    screen.line(`Stopped. ${folder} ${keeps ? 'is kept, with the log in it' : 'was removed'}.`);
  }
}

class Demo {
  readonly #screen: Screen;
  readonly #options: DemoOptions;
  readonly #paced: boolean;
  readonly #folder: string;
  readonly #failed = new AbortController();
  readonly #signal: AbortSignal;
  readonly #inbox: Inbox;
  /** All events of the steps. */
  #events: readonly Occurrence[] = [];
  #isWalking = true;

  constructor({ screen, options, signal, paced }: DemoContext, folder: string) {
    this.#screen = screen;
    this.#options = options;
    this.#paced = paced;
    this.#folder = folder;
    this.#signal = AbortSignal.any([signal, this.#failed.signal]);
    this.#inbox = new Inbox((arrival) => {
      screen.postback(arrival);
      if (this.#isWalking && arrival.status === UNAUTHORIZED) this.#failOf(arrival.target);
    });
  }

  async run(): Promise<void> {
    await using stack = new AsyncDisposableStack();
    stack.use(this.#inbox);
    const service = stack.use(await this.#startService());
    const url = await service.ready(this.#signal);
    this.#screen.facts({
      address: url,
      folder: this.#folder,
      log: service.logFile,
      retries: `0.5 s after a first failure, 1 s after a second, … (RETRY_INITIAL_DELAY=${RETRY_INITIAL_DELAY}; usually 5 s, 10 s, …)`,
    });
    const client = await this.#makeClient(service);
    const api = await this.#authenticate(url, client);
    const customer = await this.#makeCustomer(api);
    const webhooks = await this.#makeWebhooks(api, customer);
    const learner = stack.use(await this.#makeLearner());
    await this.#walk({ api, webhooks, customer, learner });
    await this.#judge(api, webhooks);
    this.#isWalking = false;
    if (this.#options.exit) return;

    const adminUrl = await this.#makeAdministrator(service);
    const launchUrl = await this.#launchForPerson(api);
    guide(this.#screen, { url, adminUrl, launchUrl, client, logFile: service.logFile });
    if (!this.#signal.aborted) await once(this.#signal, 'abort');
    if (!(this.#signal.reason instanceof Interrupted)) throw this.#signal.reason;
  }

  /** In a browser, unless a person is going to learn the course in one of their own. */
  async #makeLearner(): Promise<Learner> {
    if (!this.#options.exit) return new HttpLearner(this.#signal);
    this.#screen.title('Starting a headless browser for the learner');
    try {
      return await BrowserLearner.start(this.#signal);
    } catch (error) {
      const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
      this.#screen.line(`  None starts here (${reason}), so the learner uses the player's HTTP interface.`);
      return new HttpLearner(this.#signal);
    }
  }

  async #startService(): Promise<ServiceProcess> {
    this.#screen.title('Starting the service, with its embedded database');
    const port = this.#options.port ?? (await choosePort(HOST, USUAL_PORT));
    if (this.#options.port === null && port !== USUAL_PORT)
      this.#screen.line(`  Port ${USUAL_PORT} is in use, so the service gets a free one.`);
    const settings = {
      host: HOST,
      port: String(port),
      content_port: String(port === 0 ? 0 : await choosePort(HOST, port + 1)),
      data_dir: path.join(this.#folder, 'data'),
      retry_initial_delay: RETRY_INITIAL_DELAY,
      shutdown_timeout: SHUTDOWN_TIMEOUT,
    };
    return new ServiceProcess(settings, path.join(this.#folder, 'service.log'), (failure) =>
      this.#failed.abort(failure),
    );
  }

  /** Returns the link with which a person sets a password and signs in. */
  async #makeAdministrator(service: ServiceProcess): Promise<string> {
    const args = [
      'user',
      'create',
      '--email',
      ADMINISTRATOR_EMAIL,
      '--role',
      'admin',
      '--name',
      'Demo',
      '--json',
    ];
    const made = JSON.parse(await service.runCommand(args, this.#signal)) as { invitation_url: string };
    return made.invitation_url;
  }

  /** Returns a link with which the person at the keyboard takes the demo's course. */
  async #launchForPerson(api: ApiClient): Promise<string> {
    const { data } = await api.get<{ data: { account_id: number; course_id: number }[] }>(
      `/registrations?learner_id=${LEARNER}`,
    );
    const { account_id, course_id } = data[0]!;
    this.#screen.title('A registration for you');
    const input = { account_id, course_id, learner_id: 'you' };
    const { registration_id } = await api.send<{ registration_id: string }>('POST', '/registrations', input);
    const path = `/registrations/${registration_id}/launch`;
    return (await api.send<{ launch_url: string }>('POST', path)).launch_url;
  }

  async #makeClient(service: ServiceProcess): Promise<ClientCredentials> {
    this.#screen.title('An API client, created on the command line');
    const args = ['client', 'create', '--name', 'Demo', '--email', CLIENT_EMAIL];
    this.#screen.line(`  $ coursewire ${args.join(' ')}`);
    const made = JSON.parse(await service.runCommand([...args, '--json'], this.#signal));
    const { client_id, client_secret, scope } = made as Record<string, string>;
    this.#screen.facts({ 'client id': `${client_id}`, scope: `${scope}` });
    return { clientId: `${client_id}`, clientSecret: `${client_secret}` };
  }

  async #authenticate(url: string, client: ClientCredentials): Promise<ApiClient> {
    this.#screen.title('An access token, from OAuth 2.0 client credentials');
    const onCall = (method: string, called: string, body: string) => this.#screen.call(method, called, body);
    onCall('POST', '/public/v1/auth', 'grant_type=client_credentials');
    const token = await requestToken(url, client, this.#signal);
    this.#screen.line(`  A bearer token, valid for ${token.expires_in} s.`);
    return new ApiClient({ url, token: token.access_token, signal: this.#signal, onCall });
  }

  async #makeCustomer(api: ApiClient): Promise<DemoAccount> {
    this.#screen.title('An existing customer: an account that is created before the webhooks');
    const { id } = await api.send<{ id: number }>('POST', '/accounts', { name: CUSTOMER });
    return { id, name: CUSTOMER };
  }

  async #makeWebhooks(api: ApiClient, customer: DemoAccount): Promise<Webhook[]> {
    const secret = randomBytes(24).toString('base64url');
    const checked = this.#options.wrongSecret ? 'another secret' : secret;
    const targets = demoTargets({ secret, customer });
    this.#screen.title(`${targets.length} target systems, each a receiver with its own webhook`);
    const opened: { target: Target; url: string }[] = [];
    for (const target of targets) {
      const url = await this.#inbox.open(target, target.credentials === null ? undefined : checked);
      opened.push({ target, url });
    }
    this.#screen.targets(opened);
    const webhooks: Webhook[] = [];
    for (const { target, url } of opened) webhooks.push(await createWebhook(api, target, url));
    return webhooks;
  }

  /** Runs every step, and waits for all its messages. */
  async #walk({
    api,
    webhooks,
    customer,
    learner,
  }: {
    api: ApiClient;
    webhooks: readonly Webhook[];
    customer: DemoAccount;
    learner: Learner;
  }): Promise<void> {
    const steps = walk({ api, customer, learner, showFacts: (facts) => this.#screen.facts(facts) });
    this.#events = steps.flatMap((step) => step.causes);
    const targets = webhooks.map(({ target }) => target);
    const dead = Promise.all(webhooks.map((webhook) => this.#watchDeadLetters(api, webhook)));
    // It is awaited at the end, and may fail before.
    dead.catch(() => {});

    this.#screen.legend();
    const caused: Occurrence[] = [];
    for (const step of steps) {
      this.#screen.title(step.title);
      const arrived = targets.map((target) => this.#inbox.of(target).length);
      await step.run();
      caused.push(...step.causes);
      const due = targets.map((target, index) => dueAtOnce(target, caused, arrived[index]!));
      await this.#inbox.waitFor(() => this.#missing(targets, caused, due), PATIENCE_MS, this.#signal);
      if (this.#paced) await pause(PACE_MS, this.#signal);
    }
    if (this.#missing(targets, caused).length > 0)
      this.#screen.title('No more changes; rejected postbacks are sent again');
    await this.#inbox.waitFor(() => this.#missing(targets, caused), PATIENCE_MS, this.#signal);
    await dead;
  }

  #missing(targets: readonly Target[], events: readonly Occurrence[], due: readonly number[] = []): string[] {
    return targets.flatMap((target, index) => missingOf(target, events, this.#inbox.of(target), due[index]));
  }

  /** A target that rejects the credentials of its webhook accepts nothing, so waiting makes no sense. */
  #failOf(target: Target): void {
    const taken = this.#inbox.of(target).filter(({ status }) => status !== UNAUTHORIZED);
    const missing = missingOf(target, this.#events, taken);
    this.#failed.abort(new DemoFailure(`${target.name} rejected the credentials of its webhook.`, missing));
  }

  /** Shows each dead letter once its last attempt has failed. */
  async #watchDeadLetters(api: ApiClient, webhook: Webhook): Promise<void> {
    const { target } = webhook;
    const { deadLetters } = expectedOf(target, this.#events);
    const lastAttempts = () =>
      this.#inbox.of(target).filter(({ attempt }) => attempt === maxAttemptsOf(target)).length;
    for (const [index, subtopic] of deadLetters.entries()) {
      const missing = () =>
        lastAttempts() > index ? [] : [`${target.name}: the last attempt of ${subtopic}`];
      await this.#inbox.waitFor(missing, PATIENCE_MS, this.#signal);
      const found = await deadLettersOnceThere(api, webhook, index + 1, this.#signal);
      this.#screen.deadLetter(target, found[index]!);
    }
  }

  async #judge(api: ApiClient, webhooks: readonly Webhook[]): Promise<void> {
    const standings: Standing[] = [];
    for (const webhook of webhooks) standings.push(await standingOf(api, webhook, this.#signal));
    this.#screen.title('The statistics of the service');
    this.#screen.standings(standings);
    const faults = standings.flatMap((standing) =>
      faultsOf(standing, {
        events: this.#events,
        arrivals: this.#inbox.of(standing.webhook.target),
      }),
    );
    if (faults.length > 0) throw new DemoFailure('Not everything arrived as expected:', faults);
    this.#screen.success(this.#inbox.all, standings);
  }
}
