import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '#runtime/process/metrics.js';
import { Queue } from '#runtime/queue/queue.js';
import { fakeTimers } from '../../support/fake-timers.js';

/** The lines of one metric without its help, as Prometheus would scrape them. */
async function scraped(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const text = await metrics.registry.getSingleMetricAsString(name);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'));
}

describe('metrics', () => {
  it('describe a queue as client-go does', async () => {
    const metrics = createMetrics();
    const timers = fakeTimers();
    const queue = new Queue({ timers, observer: metrics.observeQueue('application') });
    metrics.watchUnfinished('application', () => queue.unfinished());
    for (const key of ['a', 'b', 'c']) queue.add(key);
    timers.advance(2_000);
    await queue.take();
    timers.advance(1_000);
    await queue.take();
    timers.advance(4_000);
    expect(await scraped(metrics, 'workqueue_depth')).toEqual(['workqueue_depth{name="application"} 1']);
    expect(await scraped(metrics, 'workqueue_adds_total')).toEqual(['workqueue_adds_total{name="application"} 3']);
    expect(await scraped(metrics, 'workqueue_unfinished_work_seconds')).toEqual([
      'workqueue_unfinished_work_seconds{name="application"} 9',
    ]);
    expect(await scraped(metrics, 'workqueue_longest_running_processor_seconds')).toEqual([
      'workqueue_longest_running_processor_seconds{name="application"} 5',
    ]);
    queue.done('a');
    queue.addRateLimited('a');
    expect(await scraped(metrics, 'workqueue_queue_duration_seconds')).toEqual([
      'workqueue_queue_duration_seconds_sum{name="application"} 5',
      'workqueue_queue_duration_seconds_count{name="application"} 2',
    ]);
    expect(await scraped(metrics, 'workqueue_work_duration_seconds')).toContain(
      'workqueue_work_duration_seconds_sum{name="application"} 5',
    );
    expect(await scraped(metrics, 'workqueue_retries_total')).toEqual([
      'workqueue_retries_total{name="application"} 1',
    ]);
  });

  it('describe reconciliations and requests as controller-runtime does', async () => {
    const metrics = createMetrics();
    metrics.observePass('application', 'error', 0.2);
    metrics.countRequest('get', 'Secret', 404);
    expect(await scraped(metrics, 'controller_runtime_reconcile_total')).toEqual([
      'controller_runtime_reconcile_total{controller="application",result="error"} 1',
    ]);
    expect(await scraped(metrics, 'controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="application"} 1',
    ]);
    expect(await scraped(metrics, 'rest_client_requests_total')).toEqual([
      'rest_client_requests_total{verb="get",kind="Secret",code="404"} 1',
    ]);
  });
});
