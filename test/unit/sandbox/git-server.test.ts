import { describe, expect, test } from '@jest/globals';
import { parseCgiHeaders } from '#sandbox/git-server.js';

describe('parseCgiHeaders', () => {
  test('a CGI answer without a status is a 200', () => {
    expect(parseCgiHeaders('Expires: Fri, 01 Jan 1980 00:00:00 GMT\r\nContent-Type: text/plain')).toEqual({
      status: 200,
      headers: [
        ['Expires', 'Fri, 01 Jan 1980 00:00:00 GMT'],
        ['Content-Type', 'text/plain'],
      ],
    });
  });

  test('the Status header becomes the status', () => {
    expect(parseCgiHeaders('Status: 404 Not Found\r\nPragma: no-cache')).toEqual({
      status: 404,
      headers: [['Pragma', 'no-cache']],
    });
  });
});
