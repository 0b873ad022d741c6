export { startFaultProxy, type FaultProxy } from '../../sandbox/faults/fault-proxy.js';
export { statusAnswer, type SeenRequest } from '../../sandbox/faults/http-proxy.js';
export { startTcpProxy, type TcpProxy } from '../../sandbox/faults/tcp-proxy.js';
