/** Whether an `If-None-Match` names this entity tag: weak comparison, or `*` (RFC 9110, section 13.1.2). */
export function hasTag(condition: string | null, etag: string): boolean {
  return (condition ?? '').split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()))
}

/** Whether an `If-Match` allows the answer: none, `*`, or this tag by strong comparison (RFC 9110, section 13.1.1). */
export function meetsIfMatch(condition: string | null, etag: string): boolean {
  return condition === null || condition.split(',').some((each) => ['*', etag].includes(each.trim()))
}
