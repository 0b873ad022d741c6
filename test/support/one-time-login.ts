/** The links that a demo prints. */
export const LOGIN_LINK = /http:\/\/127\.0\.0\.1:\d+\/login#([\w-]{43})/g;

export interface SignedIn {
  readonly status: number;
  readonly user: string | undefined;
  /** Name and value. */
  readonly cookie: string;
}

/** As the page does whose link was opened. */
export async function signInBy(link: string): Promise<SignedIn> {
  const { origin, hash } = new URL(link);
  const headers = { 'x-fairlead-page': '1', 'content-type': 'application/json' };
  const body = JSON.stringify({ code: hash.slice(1) });
  const answer = await fetch(`${origin}/session/one-time`, { method: 'POST', headers, body });
  const { user } = (await answer.json()) as { user?: string };
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { status: answer.status, user, cookie };
}

interface Overview {
  readonly applications: readonly { readonly namespace: string; readonly name: string; readonly state: string }[];
}

/** What the dashboard then shows. */
export async function overviewFor({ cookie }: SignedIn, link: string): Promise<Overview['applications']> {
  const headers = { cookie, 'x-fairlead-page': '1' };
  const answer = await fetch(`${new URL(link).origin}/api/v1/overview`, { headers });
  if (!answer.ok) throw new Error(`the overview is ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as Overview).applications;
}
