import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gitEnvironment } from './servers/git-repository.js';
import { startHttpServer, type HttpServer } from './world/ports.js';

const HEADER_END = '\r\n\r\n';

/** The CGI variables of a request, as RFC 3875 and `git help http-backend` name them. */
function cgiEnvironment(request: IncomingMessage, root: string): Record<string, string> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const header = (name: string): string => String(request.headers[name] ?? '');
  return {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method ?? 'GET',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: header('content-type'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    HTTP_GIT_PROTOCOL: header('git-protocol'),
    REMOTE_ADDR: request.socket.remoteAddress ?? '',
    ...(request.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: header('content-length') }),
  };
}

/** Status and headers of a CGI answer. */
export function parseCgiHeaders(text: string): { status: number; headers: [string, string][] } {
  const headers = text.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1];
  return {
    status: status === undefined ? 200 : Number.parseInt(status, 10),
    headers: headers.filter(([name]) => name.toLowerCase() !== 'status'),
  };
}

/** Passes the answer of a CGI program on; its head arrives in any number of pieces. */
class CgiAnswer {
  readonly #response: ServerResponse;
  #head: Buffer | undefined = Buffer.alloc(0);

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(chunk: Buffer): void {
    if (this.#head === undefined) {
      this.#response.write(chunk);
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEADER_END);
    if (end < 0) return;
    const { status, headers } = parseCgiHeaders(this.#head.subarray(0, end).toString('latin1'));
    this.#response.writeHead(status, headers.flat());
    this.#response.write(this.#head.subarray(end + HEADER_END.length));
    this.#head = undefined;
  }

  end(): void {
    if (!this.#response.headersSent) this.#response.writeHead(500);
    this.#response.end();
  }
}

function handle(root: string, request: IncomingMessage, response: ServerResponse): void {
  const env = { ...gitEnvironment(root), ...cgiEnvironment(request, root) };
  const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const answer = new CgiAnswer(response);
  backend.stdout.on('data', (chunk: Buffer) => answer.write(chunk));
  backend.once('error', () => answer.end());
  backend.once('close', () => answer.end());
  backend.stdin.on('error', () => undefined);
  request.pipe(backend.stdin);
  response.once('close', () => backend.kill());
}

/** Serves every bare repository below `root` at `/NAME.git` over smart HTTP, for reading and pushing, to anybody. */
export async function startGitServer(root: string): Promise<HttpServer> {
  return startHttpServer((request, response) => handle(root, request, response));
}
