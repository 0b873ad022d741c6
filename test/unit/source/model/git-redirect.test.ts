import { expect, test } from '@jest/globals';
import { discoveryUrl, redirectedUrl } from '#controllers/source/git/server.js';

test.each([
  ['https://host/app.git', 'https://host/app.git/info/refs?service=git-upload-pack'],
  ['https://host/app/', 'https://host/app/info/refs?service=git-upload-pack'],
  ['https://host/app?x=y', 'https://host/app?x=y/info/refs&service=git-upload-pack'],
])('git begins with %s at %s', (url, first) => expect(discoveryUrl(url)).toBe(first));

test.each([
  ['https://other/app.git', 'https://other/app.git/info/refs?service=git-upload-pack'],
  ['https://other', 'https://other/info/refs?service=git-upload-pack'],
  ['https://host/app', 'https://host/app/info/refs?service=git-upload-pack'],
])('a repository was moved to %s when its first request ends at %s', (moved, answered) =>
  expect(redirectedUrl('https://host/app', answered)).toEqual({ url: moved }),
);

test.each([
  'https://other/login',
  'https://other/app.git/info/refs',
  'https://user:secret@other/app/info/refs?service=git-upload-pack',
  'https://other/app/info/refs?service=git-upload-pack#x',
  'file:///etc/info/refs?service=git-upload-pack',
  'https://other/%0a/info/refs?service=git-upload-pack',
  '',
])('%j is where no repository is', (answered) => {
  const found = redirectedUrl('https://host/app', answered);
  expect(found).toEqual({ problem: expect.stringMatching(/^the server redirects to what is not the URL/) });
});
