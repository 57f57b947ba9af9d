// Package compat speaks chat completions with every server that has them: Groq,
// Ollama, Azure, OpenRouter, vLLM, llama.cpp, DeepSeek, Mistral, OpenAI's own,
// Gemini's compatible endpoint, and any other.
//
//	model := compat.Groq("llama-3.3-70b-versatile", nil) // the key is $GROQ_API_KEY
//	resp, err := llm.Generate(ctx, model, &llm.Request{
//		Messages: []llm.Message{llm.User("What is the solar wind?")},
//	})
//
//	local := compat.Ollama("qwen3:8b", nil)
//	other := compat.New("acme", "rocket-1", &compat.Options{BaseURL: "https://llm.acme.example/v1", Key: key})
//
// All claim to be alike, and differ in what they refuse. Each is a [Dialect], a
// plain value: [Lookup] finds it, a changed copy makes models too.
//
//	dialect      key                   limit                  thoughts go back          schema of the answer
//	azure        AZURE_OPENAI_API_KEY  max_completion_tokens  never                     json_schema, tools too
//	deepseek     DEEPSEEK_API_KEY      max_tokens             of turns with calls       json_object; a tool
//	gemini-chat  GEMINI_API_KEY        max_tokens             as extra_content          json_schema; a tool
//	groq         GROQ_API_KEY          max_completion_tokens  never                     a tool
//	llamacpp     none                  max_tokens             all                       json_schema; a tool
//	mistral      MISTRAL_API_KEY       max_tokens             all, within the content   json_schema; a tool
//	ollama       none                  max_tokens             all                       json_schema; a tool
//	openai-chat  OPENAI_API_KEY        max_completion_tokens  never                     json_schema, tools too
//	openrouter   OPENROUTER_API_KEY    max_tokens             as reasoning_details      json_schema; a tool
//	vllm         none                  max_tokens             all                       json_schema; a tool
//
// "A tool" means that the model is given one more, whose arguments are the answer:
// the server knows no schema, or none in a stream or beside other tools. Its call
// is read as text, so that nobody sees the difference.
//
// # Reading
//
// Writing is plain, and reading takes what any server sends. An answer is whole
// when its finish_reason was there, followed by [DONE] or the end; a stream that
// ends before is an error that a repeat may cure. An error in a stream is an error,
// with whatever status it came. Calls are calls whatever the finish_reason says,
// and a finish_reason without one ends the turn. A fragment of a call goes to the
// call of its index; one with a name and another id begins a call, also at the same
// index; without an index, to the call of its id, else to the last. A call without
// an id gets one that no other has. Thoughts are read under all their names; a
// <think> in the text is left where it is.
//
// Servers that count thoughts beside the answer have them counted within it, and
// tokens from a cache are not counted twice.
package compat
