import { GatewayFailure } from "./failure.js";
import { dataOf, type GatewayAnswer, offline } from "./post.js";
import { sendWithPrompts } from "./run.js";

/** Share of a file that has been sent, 0 to 1; null once all is sent and the gateway is processing it. */
export type UploadProgress = number | null;

/** Sends a file to the gateway and returns the answer's `data`. Throws GatewayFailure if that fails. */
export async function upload<Data>(
  path: string,
  file: Blob,
  onProgress: (sent: UploadProgress) => void,
): Promise<Data> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new GatewayFailure("FILE_CHANGED", "The file has changed since it was chosen. Choose it again.");
  }
  return sendWithPrompts(() => send<Data>(path, file, onProgress));
}

/** Uses XMLHttpRequest, because `fetch` does not report the progress of an upload. */
function send<Data>(path: string, file: Blob, onProgress: (sent: UploadProgress) => void): Promise<Data> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Content-Type", "text/csv");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded < total ? loaded / total : null);
    request.onerror = () => reject(offline());
    request.onload = () => {
      const answer: GatewayAnswer | null = request.response;
      try {
        if (answer === null) throw offline();
        resolve(dataOf<Data>(answer, request.getResponseHeader("Retry-After")));
      } catch (failure) {
        reject(failure);
      }
    };
    request.send(file);
  });
}
