import type { Dispatcher } from 'undici';

/**
 * Runs `check` when a request is about to be written to its connection: after credentials, and after it has waited for
 * a free connection. What `check` throws is the error of the request, of which no byte is sent then.
 */
export function beforeSending(check: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, guarded(handler, check));
}

function guarded(handler: Dispatcher.DispatchHandler, check: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      check();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart: (...start) => handler.onResponseStart?.(...start),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
