import { request, type IncomingMessage } from 'node:http';

/** Streams that are open. */
export interface Followers {
  /** Ends them. Milliseconds from the label `sent` of each change to the moment at which somebody heard of it. */
  end(): Promise<number[]>;
}

const SENT = /^event: updated\ndata: .*"sent":"(\d+)"/m;

function open(origin: string, token: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(`${origin}/api/v1/changes`, { headers, agent: false }, resolve);
    asked.on('error', reject).end();
  });
}

/** One reader per token, who hears of all that he may see. */
export async function follow(origin: string, tokens: readonly string[]): Promise<Followers> {
  const delays: number[] = [];
  const streams = await Promise.all(tokens.map((token) => open(origin, token)));
  for (const stream of streams) {
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, sent] = SENT.exec(event) ?? [];
        if (sent !== undefined) delays.push(Date.now() - Number(sent));
      }
    });
  }
  return {
    end: () => {
      for (const stream of streams) stream.destroy();
      return Promise.resolve(delays);
    },
  };
}
