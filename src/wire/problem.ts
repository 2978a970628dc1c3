// Problem Details for HTTP APIs, RFC 9457.

/** Media type of {@link problemJson}'s text. */
export const problemMediaType = 'application/problem+json';

/** The members of an error. The type is `about:blank`, so `title` is the reason phrase of the status (section 4.2.1). */
export interface Problem {
  /** HTTP status. */
  readonly status: number;
  readonly title: string;
  /** What is wrong with this request; omitted when empty. */
  readonly detail: string;
  /** Extension member, as in the example of section 3: what is wrong in the request, one by one; omitted when empty. */
  readonly errors?: readonly object[];
  /** Extension member: the code in the catalogue of faults. */
  readonly code: string;
  /** Extension member: identifies the request in the log. */
  readonly requestId: string;
}

/** The body of an error reply. */
export function problemJson(problem: Problem): string {
  const { status, title, detail, errors = [], code, requestId } = problem;
  return JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail: detail === '' ? undefined : detail,
    errors: errors.length === 0 ? undefined : errors,
    code,
    requestId,
  });
}
