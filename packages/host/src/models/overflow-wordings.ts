/** How providers and servers say that a request is longer than the model's window. */
export const overflowWordings: readonly RegExp[] = [
  // OpenAI, and servers that copy its codes
  /context_length_exceeded|string_above_max_length/,
  /exceeds? the (?:model'?s? )?context window/,
  // OpenAI chat, vLLM, OpenRouter, DeepSeek, Mistral
  /maximum context length/,
  // Anthropic
  /prompt is too long/,
  /input length and `?max_tokens`? exceed context limit/,
  /request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/,
  // Google
  /input token count.*exceeds the maximum number of tokens/,
  /input context is too long/,
  // llama.cpp, Ollama, LM Studio
  /exceed_context_size_error|exceeds the available context size/,
  /(?:input|prompt) (?:length )?(?:exceeds|is longer than) the (?:model's )?(?:maximum )?context(?: length| size)?/,
  /tokens to keep from the initial prompt is greater than the context length/,
  // Bedrock, xAI, Moonshot, Groq, Text Generation Inference
  /input is too long for (?:the )?requested model/,
  /maximum prompt length is \d+/,
  /exceeded model token limit/,
  /reduce the length of the messages/,
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? )?must (?:be <=|have less than) \d+/,
];
