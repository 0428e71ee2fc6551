import type { CleaningStep } from '../housekeeping/cleaner.ts';
import type { Routes } from '../http/routes.ts';
import type { ReadinessCheck } from '../observability/readiness.ts';
import type { ServiceContext } from '../service-context.ts';
import { smtpPlaceOf } from '../settings/smtp-place.ts';
import { retainedSince } from '../time/retention.ts';
import { SECOND_MS } from '../time/units.ts';
import type { WebhookTroubles } from '../webhooks/health/webhook-troubles.ts';
import { AlertReader } from './alert-reader.ts';
import { alertRoutes } from './alert-routes.ts';
import { AlertService } from './alert-service.ts';
import { AlertTests } from './alert-tests.ts';
import { AlertWatch } from './alert-watch.ts';
import { Evaluation } from './firings/evaluation.ts';
import { deleteFiringsBefore } from './firings/firing-store.ts';
import { InstanceChecks } from './firings/instance-checks.ts';
import { OutageAlerts } from './firings/outage-alerts.ts';
import { Mailer } from './notices/mailer.ts';
import { NoticeDispatcher } from './notices/notice-dispatcher.ts';
import { NoticeSender, type PostNotice } from './notices/notice-sender.ts';
import { deleteNoticesBefore } from './notices/notice-store.ts';
import { CHANNELS } from './rules/alert-rule.ts';

/**
 * Alert rules, and what watches over them. Disposing of it aborts the notices in flight. They are sent again after the next
 * start, or by another instance.
 */
export interface Alerts extends AsyncDisposable {
  /** Starts to evaluate rules and to send notices, unless `enable_alerts` is false. */
  start(): void;
  /** Remove what has expired. */
  cleaningSteps: readonly CleaningStep[];
  /** Adds the routes under the hook of `requireScopes`. */
  addRoutes(routes: Routes): void;
}

/** Dependencies of the alerts part. */
export interface AlertsOptions {
  webhooks: WebhookTroubles;
  /** By name; `database` is one of them. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  queueObstacle: () => string | null;
  /** Says why a URL is not allowed, or null if it is. */
  checkTargetUrl: (url: string) => string | null;
  post: PostNotice;
}

/** Assembles the alerts part. */
export function createAlerts(context: ServiceContext, options: AlertsOptions): Alerts {
  const { settings, logs, storage, idempotency, baseUrl, now } = context;
  const { webhooks, checkTargetUrl, post } = options;
  const { database, cipher } = storage;
  const log = logs.for('AlertService');
  const pauseMs = settings.alert_check_interval * SECOND_MS;
  const stack = new AsyncDisposableStack();

  const mailer = new Mailer(smtpPlaceOf(settings));
  const sender = new NoticeSender({ mailer, post, cipher, baseUrl });
  const dispatchers = CHANNELS.map((channel) =>
    stack.use(new NoticeDispatcher({ channel, database, sender, pauseMs, log, now })),
  );
  const tests = stack.use(new AlertTests({ sender, now }));
  const wakeDispatchers = () => {
    for (const dispatcher of dispatchers) dispatcher.wake();
  };
  const watch = stack.use(createWatch(context, options, { sender, pauseMs, onNotices: wakeDispatchers }));
  const alerts = new AlertService({
    database,
    cipher,
    checkTargetUrl,
    sendsEmail: mailer.isConfigured,
    namesOf: (ids) => webhooks.namesOf(ids),
    onChanged: () => watch.wake(),
    log,
    now,
  });
  return {
    start() {
      if (!settings.enable_alerts) {
        log.warn('enable_alerts is false: this instance evaluates no alert rules and sends no notices');
        return;
      }
      watch.start();
      for (const dispatcher of dispatchers) dispatcher.start();
    },
    cleaningSteps: cleaningStepsOf(context),
    addRoutes: (routes) =>
      alertRoutes(routes, {
        alerts,
        reader: new AlertReader({ reader: database.reader, now }),
        tests,
        idempotency,
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Creates what evaluates the rules. */
function createWatch(
  { logs, storage, now }: ServiceContext,
  { webhooks, checks: given, queueObstacle }: AlertsOptions,
  { sender, pauseMs, onNotices }: { sender: NoticeSender; pauseMs: number; onNotices: () => void },
): AlertWatch {
  const { database } = storage;
  const log = logs.for('AlertService');
  const checks = new InstanceChecks({
    database,
    checks: given,
    queueObstacle,
    about: { instance: storage.instance, hostName: storage.runtime.hostName },
    pauseMs,
    now,
  });
  const evaluation = new Evaluation({
    database,
    troubles: { webhooks, readServiceReports: () => checks.ofAllInstances() },
    interventions: (ids) => webhooks.interventions(ids),
    explanationOf: (id) => webhooks.explanationOf(id),
    onNotices,
    log,
    now,
  });
  const outages = new OutageAlerts({ database, sender, now });
  return new AlertWatch({ database, checks, evaluation, outages, pauseMs, log });
}

function cleaningStepsOf({ settings, storage, now }: ServiceContext): CleaningStep[] {
  const { database } = storage;
  const expired = () => retainedSince(now(), settings.delivery_history_days);
  return [
    {
      name: 'alerts',
      run: (limit) => database.transaction((tx) => deleteFiringsBefore(tx, expired(), limit)),
    },
    {
      name: 'notices',
      run: (limit) => database.transaction((tx) => deleteNoticesBefore(tx, expired(), limit)),
    },
  ];
}
