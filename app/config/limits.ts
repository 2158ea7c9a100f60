/**
 * The engine's fixed numbers, each with its unit and the reason for it. What an operator may
 * choose stands in `site.ts`; these are part of the guarantees and are not settings.
 */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const KIB = 1024
const MIB = 1024 * KIB

/** PostgreSQL's `integer`: what comes from outside and goes into one is at most this. */
export const INTEGER_MAX = 2_147_483_647

// Delivering

/** First wait for a claim before a task is delivered again; doubles each time. */
export const REDELIVERY_FIRST_MS = 2 * MINUTE
/** Longest gap between two deliveries of a task that nobody claims. */
export const REDELIVERY_MAX_MS = 30 * MINUTE
/** After this long without a claim the queue is taken to be broken for this task. */
export const WAITING_MAX_MS = 24 * HOUR
/** Tasks per `sendBatch`. Cloudflare Queues takes at most 100 messages or 256 KB a batch. */
export const DELIVERY_BATCH = 20

// Claiming and executing

/** How long a claim holds without a renewal. Three renewals fit into it, so one or two that fail do no harm. */
export const LEASE_MS = 2 * MINUTE
/** One statement renews all leases of an invocation. */
export const LEASE_RENEWAL_MS = 30 * SECOND
/** Cloudflare ends a queue consumer's invocation after 15 minutes of wall time. */
export const ATTEMPT_MAX_MS = 15 * MINUTE
/** Input bytes that one invocation holds at once; an isolate has 128 MB for everything. */
export const INFLIGHT_INPUT_BYTES = 16 * MIB
/** Opening an input, reading it and writing a result have this long each. */
export const STORAGE_STEP_MS = 15 * SECOND
/** `STORAGE_UNAVAILABLE` waits this long times the attempts so far. */
export const STORAGE_RETRY_MS = 30 * SECOND
/** An error nobody classified: wait this long, then try again. */
export const UNCLASSIFIED_RETRY_MS = 10 * SECOND

// Maintenance

/** Each step of a round gives up its turn after this long, so that a hanging one keeps no other from running. */
export const MAINTENANCE_STEP_MS = 10 * SECOND
/** Items one step takes at a time. */
export const MAINTENANCE_BATCH = 50
/** An upload without an end, or an object without a row, is left alone for this long. */
export const ABANDONED_AFTER_MS = 1 * HOUR
/** Objects in a page of the search for those without a row. R2 lists at most 1,000. */
export const ORPHAN_PAGE = 500
/** So few of a page may always go, however small it is; more only where they are at most half of it. */
export const ORPHANS_ALWAYS = 5

// Requests

/** Body bytes held by one isolate at a time, over all requests. Beyond: 503 with `Retry-After`. */
export const INFLIGHT_BODY_BYTES = 48 * MIB
/** Of these, what one account's bodies may hold: two of the largest, so that nobody keeps all others waiting. */
export const INFLIGHT_BODY_BYTES_EACH = 24 * MIB
/**
 * A body is given up when this long a wait has brought less than this much of it, and neither its end: 35 kbit/s, half of a
 * bad phone connection, over which the largest file takes 22 minutes. Silence and a byte now and then are the same.
 */
export const BODY_PACE_MS = 1 * MINUTE
export const BODY_PACE_BYTES = 256 * KIB
/** No body is waited for longer than this. */
export const BODY_MAX_MS = 1 * HOUR
/** Multipart framing and small fields beside the file itself. */
export const FORM_OVERHEAD_BYTES = 64 * KIB
/** Forms and JSON without a file. */
export const FORM_MAX_BYTES = 64 * KIB
/** How much of a text file its preview shows. */
export const PREVIEW_BYTES = 64 * KIB
/** Rows on one page of a list. */
export const PAGE_SIZE = 20
export const PAGE_SIZE_MAX = 100
/** Items of one bulk request: more than a page has, and few enough that an invocation's subrequests do for all. */
export const BULK_MAX = 50
/** Characters of a search; a file's name has at most 200. */
export const SEARCH_MAX_LENGTH = 200
/** Counts beside filters stop here, and "more" is said of what lies beyond. */
export const COUNTED_MAX = 1_000
/** Of this many failures, the newest, those that can be mended are shown first; so many of them. */
export const ATTENTION_AMONG = 20
export const ATTENTION_ROWS = 5
/** Counters count whole minutes. */
export const RATE_WINDOW_MS = 1 * MINUTE
/** Sign-in attempts a minute, by address with e-mail and by address alone. Counted before any hashing. */
export const SIGN_IN_PER_ADDRESS_AND_EMAIL = 5
export const SIGN_IN_PER_ADDRESS = 30
/** Changes of an account a minute: passwords that are tried, sessions that are ended. */
export const ACCOUNT_WRITES_PER_MINUTE = 10
