/**
 * Who may import whom. Reads from bottom to top: `config` and `db`, then the domain, then `http` and the routes, then the
 * Worker's entries. Each layer knows those below it and none above; folders of the domain know each other only where
 * `tasks` uses `files` and `credits`.
 */

/** Folders of the domain: they run the same in a request, a message, a cron and a test. */
export const DOMAIN = ['tasks', 'files', 'credits', 'auth', 'rate-limits', 'mail']

/** @param {...string} names */
const app = (...names) => names.map((name) => `./app/${name}`)

/** Where a request comes in and a page goes out. */
const ABOVE_DOMAIN = [
  ...app('http', 'components', 'routes', 'styles'),
  ...app('root.tsx', 'entry.server.tsx', 'entry.client.tsx', 'invocation.server.ts'),
]

/** @param {string[]} targets @param {string[]} from must not be imported by `targets` @param {string} message @param {string[]} [except] */
const zone = (targets, from, message, except = []) => ({ target: targets, from, message, except })

const LAYERS = [
  zone(
    app(...DOMAIN, 'db', 'config', 'context.server.ts', 'log.server.ts'),
    ABOVE_DOMAIN,
    'Domain code knows nothing of requests, pages and entries.',
  ),
  zone(app('db', 'config'), app(...DOMAIN), 'db and config stand below the domain.'),
  zone(app('config'), app('db'), 'config stands below db.'),
  zone(app('http'), app('routes', 'root.tsx'), 'http stands below the routes.'),
  zone(app('root.tsx', 'entry.server.tsx', 'entry.client.tsx'), app('routes'), 'Remix puts the routes in.'),
  zone(
    ['./workers'],
    app('routes', 'components', 'root.tsx'),
    'Entries reach pages through the Remix build.',
  ),
  zone(
    app('routes', 'root.tsx'),
    app('db'),
    'A route makes one domain call; the domain talks to the database.',
  ),
]

const NEIGHBOURS = [
  zone(app('files'), app('tasks', 'credits'), 'Files use neither tasks nor credits.'),
  zone(app('credits'), app('tasks', 'files'), 'Credits use neither tasks nor files.'),
  zone(
    app('auth', 'rate-limits'),
    app('tasks', 'files', 'credits'),
    'Accounts and counters stand beside the work, not above it.',
  ),
  zone(
    app('tasks', 'files', 'credits'),
    app('auth', 'rate-limits'),
    'Who asks, and how often, is settled before the domain is called.',
  ),
  zone(
    app('tasks/processors'),
    app('db', 'files', 'credits', 'context.server.ts', 'tasks'),
    'A processor sees bytes, parameters and a progress function: no database, queue, bucket or context.',
    ['./processors'],
  ),
  zone(
    app('components'),
    [...ABOVE_DOMAIN, ...app('db', ...DOMAIN)].filter(
      (path) => !app('components', 'styles', 'tasks').includes(path),
    ),
    'Components get props only.',
  ),
  // The names of the states are words that pages show as well.
  zone(app('components'), app('tasks'), 'Components get props only.', ['./states.ts']),
]

/** Of tests as well. */
export const ZONES = [...LAYERS, ...NEIGHBOURS]

/** Of everything but tests and what is made for them. */
export const PRODUCTION_ZONES = [
  ...ZONES,
  zone(['./app', './workers', './scripts'], app('testing'), 'Only tests import testing.'),
  zone(['./app'], ['./workers', './scripts', './e2e'], 'The application stands below the Worker’s entries.'),
  zone(app('routes'), app('routes'), 'A route never imports a route.'),
]

/** Patterns for `no-restricted-imports`. */
export const PACKAGES = {
  pages: {
    regex: '^(react|react-dom|react-router(-dom)?|isbot)(/|$)|^@remix-run/',
    message: 'Domain code runs without a request and without a page.',
  },
  outside: {
    regex: '^(postgres|drizzle-orm|better-auth|miniflare|wrangler)(/|$)|^(cloudflare|node):',
    message: 'A processor reaches nothing but its input.',
  },
  storage: {
    regex: '^(postgres|drizzle-orm|better-auth)(/|$)|^cloudflare:',
    message: 'A route makes one domain call; the domain talks to the database.',
  },
  root: {
    regex: '^(~|\\.\\.)/root$',
    allowTypeImports: true,
    message:
      'A route never imports a route. The type of the root’s loader is all that a page may need of it.',
  },
  server: {
    regex: '\\.server$|^(zod|postgres|drizzle-orm|better-auth)(/|$)|^(cloudflare|node):',
    message:
      'The browser may reach this file: the compiler would silently empty a server module, and a server package would weigh.',
  },
}
