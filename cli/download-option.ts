import { Option } from 'commander';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

/**
 * The URL of a mirror. Throws when it is none, would be read without TLS, or has more than an address: it is printed
 * later. The error does not quote it, because it may have a password; one of commander would.
 */
export function mirrorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSafe(url) && !/[@?#]/.test(text)) return text;
  throw new Error('--download must be the https URL of a mirror, without user, query and fragment, or left out');
}

/** `--download [mirror]`: fetch released programs. By default, they are compiled if they cannot be fetched. */
export function downloadOption(): Option {
  const description =
    'fetch the released kube-apiserver, etcd, helm and so on, and compile none that is released; from their projects or ' +
    'from HOST/PATH of every address below the URL of a mirror. Default: what cannot be fetched is compiled';
  return new Option('--download [mirror]', description).argParser(mirrorUrl);
}

/** `--compile`: compile all programs instead of fetching releases. */
export function compileOption(): Option {
  return new Option('--compile', 'compile these programs with Go, and fetch none of them').conflicts('download');
}
