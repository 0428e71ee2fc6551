/** A route that changes something, such as `POST /folders`, and the audit entry that it causes. */
export interface RecordedRoute {
  route: string;
  action: string;
}

/**
 * Every route that can change something, and the audit entry that it causes. The list is written manually and does not
 * come from the code. A new route fails the test until someone decides whether administrators have to find it in the
 * audit log.
 */
const RECORDED = `
  POST   /accounts                                            ACCOUNT_CREATED
  PUT    /accounts/:account_id                                ACCOUNT_UPDATED
  DELETE /accounts/:account_id                                ACCOUNT_DELETED
  POST   /accounts/:account_id/content                        CONTENT_ADDED
  DELETE /accounts/:account_id/content/:type/:content_id      CONTENT_REMOVED
  POST   /account-content/add                                 CONTENT_ADDED
  POST   /account-content/remove                              CONTENT_REMOVED
  POST   /bundles                                             BUNDLE_CREATED
  PUT    /bundles/:bundle_id                                  BUNDLE_UPDATED
  DELETE /bundles/:bundle_id                                  BUNDLE_DELETED
  POST   /courses                                             COURSE_IMPORTED
  PUT    /courses/:course_id                                  COURSE_UPDATED
  DELETE /courses/:course_id                                  COURSE_DELETED
  POST   /courses/:course_id/versions                         COURSE_VERSION_UPLOADED
  POST   /courses/:course_id/versions/:version_id/publish     COURSE_VERSION_PUBLISHED
  POST   /equivalents                                         EQUIVALENT_CREATED
  PUT    /equivalents/:equivalent_id                          EQUIVALENT_UPDATED
  DELETE /equivalents/:equivalent_id                          EQUIVALENT_DELETED
  POST   /folders                                             FOLDER_CREATED
  PUT    /folders/:folder_id                                  FOLDER_UPDATED
  DELETE /folders/:folder_id                                  FOLDER_DELETED
  POST   /registrations                                       REGISTRATION_CREATED
  POST   /registrations/:registration_id/launch               REGISTRATION_COURSE_SET
  PUT    /registrations/:registration_id/status               REGISTRATION_STATUS_SET
  POST   /registrations/:registration_id/reset                REGISTRATION_RESET
  POST   /registrations/:registration_id/waive                UNIT_WAIVED
  DELETE /registrations/:registration_id                      REGISTRATION_DELETED
  PUT    /xapi/*                                              STATE_CHANGED
  POST   /xapi/*                                              STATE_CHANGED
  DELETE /xapi/*                                              STATES_DELETED
  POST   /alerts                                              ALERT_CREATED
  PUT    /alerts/:alert_id                                    ALERT_UPDATED
  DELETE /alerts/:alert_id                                    ALERT_DELETED
  POST   /webhooks                                            WEBHOOK_CREATED
  PUT    /webhooks/:webhook_id                                WEBHOOK_UPDATED
  DELETE /webhooks/:webhook_id                                WEBHOOK_DELETED
  POST   /webhooks/:webhook_id/deliveries/:delivery_id/redeliver MESSAGES_REDELIVERED
  POST   /webhooks/:webhook_id/deliveries/redeliver           MESSAGES_REDELIVERED
  POST   /webhooks/:webhook_id/deliveries/remove              DEAD_LETTERS_REMOVED
  POST   /ui/api/dead-letters/redeliver                       MESSAGES_REDELIVERED
  POST   /ui/api/dead-letters/remove                          DEAD_LETTERS_REMOVED
  POST   /webhooks/:webhook_id/line/skip                      MESSAGE_SKIPPED
  POST   /webhooks/:webhook_id/line/messages/:position/skip   MESSAGE_SKIPPED
  POST   /webhooks/:webhook_id/line/purge                     MESSAGES_PURGED
  POST   /webhooks/:webhook_id/replay                         EVENTS_REPLAYED
  POST   /webhooks/:webhook_id/signing-secret                 SIGNING_SECRET_REPLACED
  DELETE /webhooks/:webhook_id/signing-secret                 SIGNING_SECRET_DELETED
  POST   /webhooks/:webhook_id/statistics/reset               WEBHOOK_STATISTICS_RESET
  POST   /ui/api/clients                                      API_CLIENT_CREATED
  PUT    /ui/api/clients/:client_id                           API_CLIENT_UPDATED
  DELETE /ui/api/clients/:client_id                           API_CLIENT_DELETED
  POST   /ui/api/clients/:client_id/secret                    API_CLIENT_SECRET_REPLACED
  POST   /ui/api/administrators                               ADMINISTRATOR_INVITED
  PUT    /ui/api/administrators/:id                           ADMINISTRATOR_UPDATED
  DELETE /ui/api/administrators/:id                           ADMINISTRATOR_DELETED
  POST   /ui/api/administrators/:id/link                      PASSWORD_LINK_CREATED
  POST   /ui/api/setup                                        PASSWORD_SET
  PUT    /ui/api/password                                     PASSWORD_CHANGED
  PUT    /ui/api/profile                                      ADMINISTRATOR_UPDATED
  DELETE /ui/api/sessions                                     SESSIONS_ENDED
  DELETE /ui/api/sessions/:id                                 SESSIONS_ENDED
  POST   /ui/api/session                                      SIGNED_IN`;

/** The actions that are not recorded by a single call of a route; {@link RECORDED} has the others. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  ACCOUNT_DELETION_BEGUN: 'of an account with more registrations than one transaction deletes',
  REGISTRATION_DELETION_BEGUN: 'of a registration with more records than one transaction deletes',
  ADMINISTRATOR_CREATED: 'on the command line, and by the first setup',
  PROFILE_CHANGED: 'by the same calls as STATE_CHANGED. Statements name the client that stored them instead',
  PROFILE_DELETED: 'by the same call as STATES_DELETED',
  SIGN_IN_FAILED: 'by a sign-in that is refused',
};

const UNRECORDED: readonly { reason: string; routes: string }[] = [
  {
    reason: 'previews belong to nobody, and leave no results',
    routes: `
      POST   /courses/:course_id/versions/:version_id/preview`,
  },
  {
    reason: 'the next attempt is due anyway, and the history lists it',
    routes: `
      POST   /webhooks/:webhook_id/line/retry`,
  },
  {
    reason: 'a test changes nothing that is kept',
    routes: `
      POST   /alerts/:alert_id/test
      POST   /webhooks/:webhook_id/test
      POST   /webhooks/test`,
  },
  {
    reason: 'tokens are requested constantly, and change nothing',
    routes: `
      POST   /public/v1/auth`,
  },
  {
    reason: 'other methods are refused',
    routes: `
      PUT    /public/v1/auth
      PATCH  /public/v1/auth
      DELETE /public/v1/auth
      QUERY  /public/v1/auth`,
  },
  {
    reason: 'signing out ends only the session of the call',
    routes: `
      DELETE /ui/api/session`,
  },
  {
    reason: 'it only reads, but its token must not be in an address',
    routes: `
      POST   /ui/api/setup/link`,
  },
  {
    reason: 'playing is what learners do',
    routes: `
      POST    /:token/open
      POST    /:token/unit
      POST    /:token/units
      POST    /:token/commit
      POST    /:token/aicc
      POST    /:token/asset
      PUT     /:token/xapi/*
      POST    /:token/xapi/*
      DELETE  /:token/xapi/*
      POST    /:token/cmi5/fetch/:session/:secret`,
  },
];

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

/** The routes that the audit log records. */
export const RECORDED_ROUTES: readonly RecordedRoute[] = linesOf(RECORDED).map(
  ([method, path, action = '']) => ({ route: `${method} ${path}`, action }),
);

/** The routes that it does not record, with the reason. */
export const UNRECORDED_ROUTES: ReadonlyMap<string, string> = new Map(
  UNRECORDED.flatMap(({ reason, routes }) => linesOf(routes).map((words) => [words.join(' '), reason])),
);
