{
  "$schema": "https://unpkg.com/knip@6/schema.json",
  "entry": [
    "config/generate.ts!",
    "bench/main.ts!",
    "bench/scenarios/mirror-process.ts!",
    "bench/scenarios/counter-program.ts!",
    "controllers/runtime/offload-thread.ts!",
    "sandbox/keeper.ts!",
    "sandbox/holder.ts!",
    "test/**/*.test.ts",
    "test/support/*.cjs"
  ],
  "project": ["{api,controllers,cli,sandbox,config,bench}/**/*.{ts,js,cjs}!", "test/**/*.{ts,js,cjs}"],
  "jest": { "config": ["test/jest.config.js"] },
  "ignoreExportsUsedInFile": { "interface": true, "type": true }
}
