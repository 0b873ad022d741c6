import { readAll, type Download, type Response } from '../http.js';

const MAX_BYTES = 16 * 1024;

/**
 * `<Code>` of an error, e.g. `NoSuchKey`; empty where the answer has none. Its message is left out: a server may repeat
 * in it what it was sent.
 */
export async function errorCode(asked: Download, response: Response): Promise<string> {
  const body = await readAll({ ...asked, maxBytes: MAX_BYTES }, response).catch(() => Buffer.alloc(0));
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(body.toString('utf8'))?.[1] ?? '';
}

/** The status of a refusal and its code, as a message has them. */
export function refusalText({ statusCode }: Response, code: string): string {
  return `the server answered ${statusCode}${code === '' ? '' : ` ${code}`}`;
}
