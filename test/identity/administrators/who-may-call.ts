/**
 * The kinds of callers: a caller without credentials, a client whose token has this one scope, and an administrator
 * with this role.
 */
export const CALLERS = [
  'nobody',
  'content:read',
  'content:write',
  'webhooks:read',
  'webhooks:write',
  'registrations:write',
  'statements:read',
  'statements:write',
  'audit:read',
  'viewer',
  'integrator',
  'admin',
] as const;

export type Caller = (typeof CALLERS)[number];

/**
 * Every route of the service and who may call it. The list is written manually and does not come from the code. The
 * test fails if a route is missing here, or if its code requires something else. A route that accepts GET also accepts
 * HEAD.
 */
const TABLE: readonly { allowed: readonly Caller[]; routes: string }[] = [
  {
    allowed: CALLERS,
    routes: `
      GET    /
      GET    /ui
      GET    /ui/*
      GET    /ui/assets/*
      GET    /docs
      HEAD   /docs/
      GET    /docs/json
      GET    /docs/yaml
      GET    /docs/static/*
      GET    /docs/static/index.html
      GET    /docs/static/swagger-initializer.js
      GET    /openapi.json
      GET    /.well-known/oauth-authorization-server
      GET    /health/live
      GET    /health/ready
      GET    /metrics
      GET    /launch/*
      GET    /public/v1/auth
      POST   /public/v1/auth
      PUT    /public/v1/auth
      PATCH  /public/v1/auth
      DELETE /public/v1/auth
      OPTIONS /public/v1/auth
      QUERY  /public/v1/auth
      TRACE  /public/v1/auth
      OPTIONS /xapi/*
      POST   /ui/api/session
      DELETE /ui/api/session
      POST   /ui/api/setup
      POST   /ui/api/setup/link`,
  },
  {
    allowed: ['content:read', 'viewer', 'admin'],
    routes: `
      GET    /accounts
      GET    /accounts/:account_id
      GET    /accounts/:account_id/content
      GET    /bundles
      GET    /bundles/:bundle_id
      GET    /content/:type/:content_id/accounts
      GET    /courses
      GET    /courses/:course_id
      GET    /equivalents
      GET    /equivalents/:equivalent_id
      GET    /folders
      GET    /folders/:folder_id
      GET    /registrations
      GET    /registrations/:registration_id
      GET    /registrations/:registration_id/runtime
      GET    /registrations/:registration_id/statements
      GET    /ui/api/accounts
      GET    /ui/api/accounts/:account_id/contents
      GET    /ui/api/addable-accounts
      GET    /ui/api/addable-content
      GET    /ui/api/bundles
      GET    /ui/api/courses
      GET    /ui/api/equivalents
      GET    /ui/api/folders
      GET    /ui/api/registrations
      GET    /ui/api/usage/:type/:id`,
  },
  {
    allowed: ['content:read', 'webhooks:read', 'viewer', 'integrator', 'admin'],
    routes: `
      GET    /ui/api/dashboard`,
  },
  {
    allowed: ['content:read', 'webhooks:write', 'viewer', 'integrator', 'admin'],
    routes: `
      GET    /ui/api/search/assets
      GET    /ui/api/search/assets/by-id`,
  },
  {
    allowed: ['content:write', 'admin'],
    routes: `
      POST   /account-content/add
      POST   /account-content/remove
      POST   /accounts
      PUT    /accounts/:account_id
      DELETE /accounts/:account_id
      POST   /accounts/:account_id/content
      DELETE /accounts/:account_id/content/:type/:content_id
      POST   /bundles
      PUT    /bundles/:bundle_id
      DELETE /bundles/:bundle_id
      POST   /courses
      PUT    /courses/:course_id
      DELETE /courses/:course_id
      POST   /courses/:course_id/versions
      POST   /courses/:course_id/versions/:version_id/preview
      POST   /courses/:course_id/versions/:version_id/publish
      POST   /equivalents
      PUT    /equivalents/:equivalent_id
      DELETE /equivalents/:equivalent_id
      POST   /folders
      PUT    /folders/:folder_id
      DELETE /folders/:folder_id`,
  },
  {
    allowed: ['registrations:write', 'admin'],
    routes: `
      POST   /registrations
      DELETE /registrations/:registration_id
      POST   /registrations/:registration_id/launch
      POST   /registrations/:registration_id/reset
      POST   /registrations/:registration_id/waive
      PUT    /registrations/:registration_id/status`,
  },
  {
    allowed: ['statements:read', 'admin'],
    routes: `
      GET    /xapi/*`,
  },
  {
    allowed: ['statements:write', 'admin'],
    routes: `
      PUT    /xapi/*
      POST   /xapi/*
      DELETE /xapi/*`,
  },
  {
    allowed: ['webhooks:read', 'viewer', 'integrator', 'admin'],
    routes: `
      GET    /alert-firings
      GET    /alerts
      GET    /alerts/:alert_id
      GET    /events
      GET    /events/:event_id
      GET    /events/:event_id/webhooks
      GET    /webhooks
      GET    /webhooks/:webhook_id
      GET    /webhooks/:webhook_id/health
      GET    /webhooks/:webhook_id/deliveries
      GET    /webhooks/:webhook_id/deliveries/:delivery_id
      GET    /webhooks/:webhook_id/line
      GET    /webhooks/:webhook_id/line/messages
      GET    /webhooks/:webhook_id/line/messages/:position
      GET    /webhooks/:webhook_id/statistics
      GET    /ui/api/dead-letters
      GET    /ui/api/events
      GET    /ui/api/waiting-reasons
      GET    /ui/api/webhooks
      GET    /ui/api/webhooks/:webhook_id
      GET    /ui/api/webhooks/:webhook_id/trend`,
  },
  {
    allowed: ['webhooks:write', 'integrator', 'admin'],
    routes: `
      POST   /alerts
      PUT    /alerts/:alert_id
      DELETE /alerts/:alert_id
      POST   /alerts/:alert_id/test
      POST   /webhooks
      PUT    /webhooks/:webhook_id
      DELETE /webhooks/:webhook_id
      POST   /webhooks/:webhook_id/deliveries/:delivery_id/redeliver
      POST   /webhooks/:webhook_id/deliveries/redeliver
      POST   /webhooks/:webhook_id/line/retry
      POST   /webhooks/:webhook_id/line/skip
      POST   /webhooks/:webhook_id/line/messages/:position/skip
      POST   /webhooks/:webhook_id/line/purge
      POST   /webhooks/:webhook_id/deliveries/remove
      POST   /ui/api/dead-letters/remove
      POST   /webhooks/:webhook_id/replay
      POST   /webhooks/:webhook_id/signing-secret
      DELETE /webhooks/:webhook_id/signing-secret
      POST   /webhooks/:webhook_id/statistics/reset
      POST   /webhooks/:webhook_id/test
      POST   /webhooks/test
      POST   /ui/api/dead-letters/redeliver`,
  },
  {
    allowed: ['audit:read', 'admin'],
    routes: `
      GET    /audit-log
      GET    /audit-log/:entry_id`,
  },
  {
    allowed: ['viewer', 'integrator', 'admin'],
    routes: `
      GET    /ui/api/session
      GET    /ui/api/sessions
      DELETE /ui/api/sessions
      DELETE /ui/api/sessions/:id
      PUT    /ui/api/password
      PUT    /ui/api/profile`,
  },
  {
    allowed: ['admin'],
    routes: `
      GET    /ui/api/administrators
      POST   /ui/api/administrators
      PUT    /ui/api/administrators/:id
      DELETE /ui/api/administrators/:id
      POST   /ui/api/administrators/:id/link
      GET    /ui/api/clients
      POST   /ui/api/clients
      GET    /ui/api/clients/:client_id
      PUT    /ui/api/clients/:client_id
      DELETE /ui/api/clients/:client_id
      POST   /ui/api/clients/:client_id/secret
      GET    /ui/api/health`,
  },
];

/** The routes of the content origin, also written manually. Only callers with the token of a launch may call them. */
export const LAUNCH_ROUTES: readonly string[] = `
  GET     /:token/player/
  HEAD    /:token/player/
  GET     /:token/player/assets/*
  HEAD    /:token/player/assets/*
  GET     /:token/content/*
  HEAD    /:token/content/*
  POST    /:token/open
  POST    /:token/unit
  POST    /:token/units
  POST    /:token/commit
  POST    /:token/aicc
  POST    /:token/asset
  GET     /:token/xapi/*
  HEAD    /:token/xapi/*
  PUT     /:token/xapi/*
  POST    /:token/xapi/*
  DELETE  /:token/xapi/*
  OPTIONS /:token/xapi/*
  POST    /:token/cmi5/fetch/:session/:secret
  GET     /:token/attempt
  HEAD    /:token/attempt
  GET     /:token/cmi5/return
  HEAD    /:token/cmi5/return`
  .trim()
  .split('\n')
  .map((line) => line.trim().replace(/\s+/, ' '));

/** Who may call a route, by its method and path, such as `GET /accounts`. */
export const WHO_MAY_CALL: ReadonlyMap<string, readonly Caller[]> = new Map(
  TABLE.flatMap(({ allowed, routes }) =>
    routes
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([method = '', path = '']) => [
        [`${method} ${path}`, allowed] as const,
        ...(method === 'GET' ? [[`HEAD ${path}`, allowed] as const] : []),
      ]),
  ),
);
