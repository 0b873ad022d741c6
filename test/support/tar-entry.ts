import { Header, type HeaderData } from 'tar';

/** An entry of an archive as a hostile writer makes it: its header, with what follows it. */
export function tarEntry(fields: HeaderData, content = Buffer.alloc(0)): Buffer {
  const block = Buffer.alloc(512);
  new Header({ mode: 0o644, size: content.length, ...fields }).encode(block, 0);
  return Buffer.concat([block, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
