export { compactorContract } from "./fit/compactor.test-support.ts";
