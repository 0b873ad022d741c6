import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serveHealth } from '#runtime/process/health.js';
import { createMetrics } from '#runtime/process/metrics.js';

describe('the health server', () => {
  let reasons: string[] = [];
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const metrics = createMetrics();
    metrics.countRequest('get', 'Secret', 200);
    const health = await serveHealth({ host: '127.0.0.1', port: 0, metrics, notReady: () => reasons });
    url = `http://127.0.0.1:${health.address.port}`;
    close = () => health.close();
  });

  afterAll(() => close());

  const asked = async (path: string): Promise<[number, string]> => {
    const response = await fetch(url + path, { headers: { connection: 'close' } });
    return [response.status, await response.text()];
  };

  it('is alive whether it is ready or not', async () => {
    reasons = ['cache of widgets is not synced'];
    expect(await asked('/healthz')).toEqual([200, 'ok\n']);
  });

  it('says why it is not ready, and when it is', async () => {
    reasons = ['cache of widgets is not synced', 'cache of gadgets is not synced'];
    expect(await asked('/readyz')).toEqual([503, 'cache of widgets is not synced\ncache of gadgets is not synced\n']);
    reasons = [];
    expect(await asked('/readyz')).toEqual([200, 'ok\n']);
  });

  it('serves the metrics of the controller and of its process', async () => {
    const [code, text] = await asked('/metrics');
    expect(code).toBe(200);
    expect(text).toContain('rest_client_requests_total{verb="get",kind="Secret",code="200"} 1');
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  });

  it('knows no other page', async () => {
    expect((await asked('/'))[0]).toBe(404);
  });
});
