package wire

// The other requests and results, all JSON.

// Future is the immediate answer to a request for work.
type Future struct {
	RequestID string `json:"request_id"`
	ModelID   string `json:"model_id,omitempty"`
	// SequenceIDs name the sequences that were asked for, in the order of the result.
	SequenceIDs []string `json:"sample_sequence_ids,omitempty"`
}

// RetrieveFuture asks for the result of a future.
type RetrieveFuture struct {
	RequestID         string `json:"request_id"`
	AllowMetadataOnly bool   `json:"allow_metadata_only"`
}

// Pending is the answer to RetrieveFuture where the result is not there yet. Type is try_again.
type Pending struct {
	Type       string `json:"type"`
	RequestID  string `json:"request_id"`
	QueueState string `json:"queue_state"`
	Reason     string `json:"queue_state_reason,omitempty"`
}

// Failed is the result of work that failed. Category is user, server or unknown.
type Failed struct {
	Error    string `json:"error"`
	Category string `json:"category"`
}

// CreateSession opens a session, to which models and samplers belong.
type CreateSession struct {
	Tags         []string       `json:"tags"`
	UserMetadata map[string]any `json:"user_metadata"`
	SDKVersion   string         `json:"sdk_version"`
	Type         string         `json:"type"`
}

// SessionCreated answers CreateSession.
type SessionCreated struct {
	SessionID string `json:"session_id"`
	Info      string `json:"info_message,omitempty"`
	Warning   string `json:"warning_message,omitempty"`
	Error     string `json:"error_message,omitempty"`
	Type      string `json:"type"`
}

// SessionRef names a session.
type SessionRef struct {
	SessionID string `json:"session_id"`
	Type      string `json:"type"`
}

// LoraConfig says what is trained, where not all weights are.
type LoraConfig struct {
	Rank         int     `json:"rank"`
	Seed         *uint64 `json:"seed,omitempty"`
	TrainUnembed bool    `json:"train_unembed"`
	TrainMLP     bool    `json:"train_mlp"`
	TrainAttn    bool    `json:"train_attn"`
}

// Optimizer names a family of optimisers.
type Optimizer struct {
	Type string `json:"type"`
}

// CreateModel asks for a model to train.
type CreateModel struct {
	SessionID  string      `json:"session_id"`
	ModelSeq   int64       `json:"model_seq_id"`
	BaseModel  string      `json:"base_model"`
	LoraConfig *LoraConfig `json:"lora_config,omitempty"`
	Optimizer  *Optimizer  `json:"optimizer_config,omitempty"`
	Type       string      `json:"type"`
}

// ModelRef names a model; it asks for its information or that it be unloaded.
type ModelRef struct {
	ModelID string `json:"model_id"`
	Type    string `json:"type,omitempty"`
}

// ModelInfo describes a model.
type ModelInfo struct {
	ModelID string `json:"model_id"`
	Data    struct {
		Arch      string `json:"arch,omitempty"`
		Name      string `json:"model_name,omitempty"`
		Tokenizer string `json:"tokenizer_id,omitempty"`
		// BaseModel is what SkyRL's server writes.
		BaseModel string `json:"base_model,omitempty"`
	} `json:"model_data"`
	IsLora   bool   `json:"is_lora"`
	LoraRank *int   `json:"lora_rank,omitempty"`
	Name     string `json:"model_name,omitempty"`
	Type     string `json:"type,omitempty"`
}

// AdamParams are the constants of one optimiser step; what is left out has the protocol's defaults.
type AdamParams struct {
	LearningRate float64 `json:"learning_rate"`
	Beta1        float64 `json:"beta1"`
	Beta2        float64 `json:"beta2"`
	Eps          float64 `json:"eps"`
	WeightDecay  float64 `json:"weight_decay"`
	// GradClipNorm is the largest norm of the gradient, 0 for any.
	GradClipNorm float64 `json:"grad_clip_norm"`
}

// DefaultAdamParams are the protocol's.
func DefaultAdamParams() AdamParams {
	return AdamParams{LearningRate: 1e-4, Beta1: 0.9, Beta2: 0.95, Eps: 1e-12}
}

// OptimStep asks for an optimiser step along the accumulated gradient.
type OptimStep struct {
	ModelID string     `json:"model_id"`
	Seq     int64      `json:"seq_id"`
	Adam    AdamParams `json:"adam_params"`
	// Other holds the parameters of any other optimiser.
	Other *Optimizer `json:"optimizer_params,omitempty"`
	Type  string     `json:"type"`
}

// Stepped answers OptimStep.
type Stepped struct {
	Metrics map[string]float64 `json:"metrics"`
}

// SaveWeights asks to keep a model under a name, for training (save_weights) or for sampling
// (save_weights_for_sampler). Without a name the sampler's weights live as long as its session.
type SaveWeights struct {
	ModelID    string `json:"model_id"`
	Seq        int64  `json:"seq_id"`
	Path       string `json:"path,omitempty"`
	SamplerSeq *int64 `json:"sampling_session_seq_id,omitempty"`
	Overwrite  bool   `json:"overwrite,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Type       string `json:"type"`
}

// Saved answers SaveWeights.
type Saved struct {
	Path      string `json:"path,omitempty"`
	SamplerID string `json:"sampling_session_id,omitempty"`
	Type      string `json:"type"`
}

// LoadWeights asks for a model's weights to be those that were saved. It is addressed to a model that was created
// before, or makes one, where session and model_seq_id are given.
type LoadWeights struct {
	ModelID   string `json:"model_id,omitempty"`
	Seq       int64  `json:"seq_id,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	ModelSeq  *int64 `json:"model_seq_id,omitempty"`
	BaseModel string `json:"base_model,omitempty"`
	Path      string `json:"path"`
	Optimizer bool   `json:"optimizer"`
	Type      string `json:"type"`
}

// Loaded answers LoadWeights.
type Loaded struct {
	Path    string `json:"path"`
	ModelID string `json:"model_id"`
	Type    string `json:"type"`
}

// Created answers CreateModel and Unload.
type Created struct {
	ModelID string `json:"model_id"`
	Type    string `json:"type"`
}

// CreateSampler opens a sampling session over a base model or saved weights.
type CreateSampler struct {
	SessionID  string `json:"session_id"`
	SamplerSeq int64  `json:"sampling_session_seq_id"`
	BaseModel  string `json:"base_model,omitempty"`
	ModelPath  string `json:"model_path,omitempty"`
	Type       string `json:"type"`
}

// SamplerCreated answers CreateSampler.
type SamplerCreated struct {
	SamplerID string `json:"sampling_session_id"`
	Type      string `json:"type"`
}

// Capabilities says what a server offers.
type Capabilities struct {
	Models []SupportedModel `json:"supported_models"`
}

// SupportedModel is one model of a server. Context is 0 where the server does not say.
type SupportedModel struct {
	Name       string `json:"model_name"`
	Context    int    `json:"max_context_length,omitempty"`
	Trainable  *bool  `json:"trainable,omitempty"`
	Sampleable *bool  `json:"sampleable,omitempty"`
}
