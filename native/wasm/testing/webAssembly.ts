/** The part of WebAssembly that tests use. The types of Node do not contain WebAssembly. */
interface WebAssemblyApi {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly object[];
  };
  readonly Instance: new (module: object) => {readonly exports: Readonly<Record<string, unknown>>};
}

export const {WebAssembly} = globalThis as unknown as {WebAssembly: WebAssemblyApi};

/**
 * Runs a module of Rust tests that `buildWasmTests` built. Returns its exit code, which is 0 if all tests passed. A
 * test that fails ends the module, and then the result is the reason.
 */
export function resultOfTests(module: Uint8Array): number | string {
  const {main} = new WebAssembly.Instance(new WebAssembly.Module(module)).exports;
  try {
    return (main as (argc: number, argv: number) => number)(0, 0);
  } catch (error) {
    return String(error);
  }
}
